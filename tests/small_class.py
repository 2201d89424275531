"""A course of two exercises and a quiz as files, and submissions of learners for it: for tests that grade a whole class."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

COURSE = """\
title: {en: Small course, zh: 小课程}
modules:
  - title: {en: All, zh: 全部}
    exercises: [halve, mix]
    quizzes: [recall]
"""
HALVE = """\
title: {en: Halve, zh: 减半}
points: 4
prompt: {en: Return x / 2., zh: 返回 x / 2。}
signature: halve(x)
reference: halve
inputs: {x: {normal: [T, D]}}
returns: [T, D]
cases:
  - {name: small, T: 2, D: 3}
  - {name: held back, T: 4, D: 5, hidden: true}
checks: [shape, dtype, finite, values]
catches: [not_halved]
"""
MIX = """\
title: {en: Mix, zh: 混合}
points: 6
prompt: {en: Return w @ v., zh: 返回 w @ v。}
signature: mix(w, v)
reference: mix
inputs: {w: {normal: [T, S]}, v: {normal: [S, D]}}
returns: [T, D]
cases:
  - {name: small, T: 2, S: 3, D: 4}
  - {name: larger, T: 5, S: 2, D: 7}
checks: [shape, dtype, finite, values]
"""
QUIZ = """\
title: {en: Recall, zh: 回顾}
intro: {en: Answer., zh: 请作答。}
questions:
  - {id: sum, kind: number, points: 2, prompt: {en: 1 + 1, zh: 1 + 1？}, key: 2}
  - id: why
    kind: text
    points: 3
    prompt: {en: 'Why divide?', zh: 为什么要除？}
    rubric: [{en: names the variance, zh: 提到方差}, {en: names the root, zh: 提到平方根}]
    model_answer: {en: The variance grows., zh: 方差会变大。}
"""
REFERENCE = """\
from dataclasses import dataclass
from typing import Any


class NotApplicable(Exception):
    pass


@dataclass(frozen=True)
class Steps:
    half: Any


CORRECT = Steps(half=lambda x: x / 2)
"""
INIT = """\
from .mistakes import MISTAKES
from .steps import CORRECT, NotApplicable


def halve(x, *, steps=CORRECT):
    return steps.half(x)


def mix(w, v, *, steps=CORRECT):
    return w @ v


FUNCTIONS = {"halve": halve, "mix": mix}
"""
TEXTS = (
    "not_halved: {codes: [T1], says: {en: Nothing was halved., zh: 没有减半。}, asks: {en: 'By what?', zh: 除以几？}}\n"
)

RIGHT_HALVE = "def halve(x):\n    return x / 2\n"
WRONG_HALVE = "def halve(x):\n    return x\n"
RIGHT_MIX = "def mix(w, v):\n    return w @ v\n"
RAISES = "def mix(w, v):\n    raise ValueError('no')\n"
SHEET = "quiz: recall\nanswers:\n  sum: {sum}\n  why: {why}\n"


def write_course(root: Path, policy: str = "") -> Path:
    """Write the course and return its folder."""
    files = {
        "course.yaml": COURSE + policy,
        "exercises/01_halve.yaml": HALVE,
        "exercises/02_mix.yaml": MIX,
        "quizzes/01_recall.yaml": QUIZ,
        "reference_impl/__init__.py": INIT,
        "reference_impl/steps.py": REFERENCE,
        "reference_impl/mistakes.py": 'MISTAKES = {"not_halved": {"half": lambda x: x}}\n',
        "reference_impl/mistakes.yaml": TEXTS,
    }
    return write_files(root, files)


def write_files(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files under a folder and return it."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """Return a zip of the files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def learners(root: Path) -> Path:
    """Write a small class: right, wrong, broken, empty and missing work."""
    return write_files(
        root,
        {
            "ann/halve.py": RIGHT_HALVE,
            "ann/mix.py": RIGHT_MIX,
            "ann/recall.yaml": SHEET.format(sum=2, why="the variance grows"),
            "ben/halve.py": WRONG_HALVE,
            "ben/mix.py": RAISES,
            "ben/recall.yaml": SHEET.format(sum=3, why="because"),
            "cat/halve.py": "def halve(x:\n",
            "dan/notes.txt": "nothing here",
            "eve.zip": zipped({"work/halve.py": RIGHT_HALVE, "__MACOSX/._halve.py": "x"}),
            "fay.py": RIGHT_HALVE + RIGHT_MIX,
            "gus.zip": b"PK\x03\x04 this is no zip",
        },
    )
