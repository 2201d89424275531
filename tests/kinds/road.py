"""Files and sheets in, every report that `grader check` makes of them out, with all that it prints; and a small course."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import click.testing
from report_readers import validate

from grader.cli import cli
from grader.kinds.reports import REPORTS

# A course with something planted wherever nobody but its author should look.

COURSE = """
title: {en: Small, zh: 小课程}
modules:
  - {title: {en: Only, zh: 唯一}, exercises: [mixing], quizzes: [marks]}
secret: {env: PLANTED_SECRET}
"""
EXERCISE = """
title: {en: Mixing, zh: 混合}
points: 6
prompt: {en: Mix., zh: 混合。}
signature: mixing(x, mask=None)
reference: mixing
inputs:
  x: {normal: [T, D], scale: 1.0}
  mask: {bool_mask: [T, D]}
returns: [T, D]
cases:
  - {name: seen, T: 3, D: 5, omit: [mask]}
  - {name: held back, T: 1009, D: 3, omit: [mask], hidden: true}
  - {name: held back too, T: 7, D: 1013, hidden: true}
  - {name: held back as well, T: [1019, 1021], D: 2, omit: [mask], hidden: true, weight: 2}
checks: [shape, dtype, finite, values]
catches: []
hints: []
"""
REFERENCE = {
    "reference_impl/__init__.py": '''
"""planted_docstring"""
from .mistakes import MISTAKES
from .steps import CORRECT, NotApplicable

def mixing(x, mask=None, *, steps=CORRECT):
    """planted_docstring"""
    planted_name = steps.planted_step(x)  # planted_comment
    return planted_name if mask is None else planted_name * mask

FUNCTIONS = {"mixing": mixing}
''',
    "reference_impl/steps.py": '''
from dataclasses import dataclass
from typing import Any

class NotApplicable(Exception):
    """planted_docstring"""

@dataclass(frozen=True)
class Steps:
    planted_step: Any

def planted_step(x):
    return x * 31337.25

CORRECT = Steps(planted_step=planted_step)
''',
    "reference_impl/mistakes.py": "MISTAKES = {}\n",
}
QUIZ = """
title: {en: Marks, zh: 分数}
intro: {en: Answer., zh: 请作答。}
graded: true
questions:
  - id: pick
    kind: choice
    points: 1
    prompt: {en: "Which?", zh: 哪一个？}
    explanation: {en: planted_explanation, zh: planted_explanation}
    options:
      a: {text: {en: one, zh: 一}, feedback: {en: said of a, zh: 说 a}}
      b: {text: {en: two, zh: 二}}
      c: {text: {en: three, zh: 三}, feedback: {en: planted_feedback, zh: planted_feedback}}
    key: b
  - id: size
    kind: number
    points: 2
    prompt: {en: "How many?", zh: 多少？}
    explanation: {en: planted_explanation, zh: planted_explanation}
    key: 271.828
    typical:
      - {value: 161.803, feedback: {en: planted_feedback, zh: planted_feedback}}
  - id: essay
    kind: text
    points: 4
    prompt: {en: "Why?", zh: 为什么？}
    rubric:
      - {en: planted_rubric, zh: planted_rubric}
    model_answer: {en: planted_model, zh: planted_model}
"""


def written(root: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def small_course(root: Path) -> Path:
    """Write the course into a folder and return it."""
    files = {"course.yaml": COURSE, "exercises/01_mixing.yaml": EXERCISE, "quizzes/01_marks.yaml": QUIZ, **REFERENCE}
    written(root, files)
    return root


@dataclass(frozen=True)
class Graded:
    """The reports by format, what was printed by stream, the step summary, and the exit code."""

    reports: Mapping[str, str]
    printed: Mapping[str, str]
    summary: str
    code: int

    @property
    def texts(self) -> dict[str, str]:
        """Everything that anybody could read, by where it stands."""
        return {**self.reports, **self.printed, "summary": self.summary}


def graded(folder: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Graded:
    """Run `grader check` once with `--report github` and every format into a file below `folder`; each has to be valid."""
    out = folder / "out"
    out.mkdir(parents=True)
    files = {word: out / word for word in REPORTS}
    wanted = ["--report", "github", *(part for word, file in files.items() for part in ("--report", f"{word}={file}"))]
    summary = out / "summary.md"
    surroundings = {"GITHUB_STEP_SUMMARY": str(summary), "XDG_CACHE_HOME": str(folder / "cache"), **(env or {})}
    with mock.patch(
        "grader.cli.check.time", SimpleNamespace(time=lambda: 2e9)
    ):  # a real clock's digits can be any number
        result = click.testing.CliRunner().invoke(cli, ["check", *arguments, *wanted], env=surroundings)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    assert all(file.exists() for file in files.values()), result.output
    reports = {word: file.read_text(encoding="utf-8") for word, file in files.items()}
    for word, text in reports.items():
        validate(word, text)
    printed = {"stdout": result.stdout, "stderr": result.stderr}
    return Graded(reports, printed, summary.read_text(encoding="utf-8"), result.exit_code)
