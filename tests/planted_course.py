"""A small course in which every secret is a word that can be looked for: in the reference, keys, comments, rules, and the secret itself."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from small_class import COURSE, HALVE, INIT, MIX, QUIZ, REFERENCE, TEXTS, write_files

SECRET = "secret-of-the-planted-course-7319"
IN_THE_REFERENCE = "ratio_of_the_hidden_reference = 0.5"
IN_KEYS = (
    "8675309.25",
    "said-only-of-a-wrong-answer",
    "said-only-when-right",
    "what-the-marker-reads",
    "a-model-answer",
)
ONLY_A_KEY = 31415926  # of a question that varies: a value that stands in no text
IN_COMMENTS = "comment-of-the-author"
PERSON = "learner-with-an-extension"
HIDDEN_CASE, HIDDEN_SIZE = "case-that-is-held-back", 983

GRADED = f"""\
title: {{en: Final, zh: 期末}}
intro: {{en: Answer., zh: 请作答。}}
graded: true
questions:
  # {IN_COMMENTS}
  - id: number
    kind: number
    points: 2
    prompt: {{en: "How many?", zh: "多少？"}}
    key: {IN_KEYS[0]}
    typical: [{{value: 5, feedback: {{en: {IN_KEYS[1]}, zh: {IN_KEYS[1]}}}}}]
    explanation: {{en: {IN_KEYS[2]}, zh: {IN_KEYS[2]}}}
  - id: pick
    kind: choice
    points: 2
    prompt: {{en: "Which?", zh: "哪个？"}}
    options: {{a: {{text: one}}, b: {{text: two, feedback: {{en: {IN_KEYS[1]}, zh: {IN_KEYS[1]}}}}}}}
    key: a
  - id: why
    kind: text
    points: 3
    prompt: {{en: "Why?", zh: "为什么？"}}
    rubric: [{{en: {IN_KEYS[3]}, zh: {IN_KEYS[3]}}}]
    model_answer: {{en: {IN_KEYS[4]}, zh: {IN_KEYS[4]}}}
  - id: doubled
    kind: number
    points: 1
    prompt: {{en: "Twice {{half}}?", zh: "{{half}} 的两倍？"}}
    varies: {{values: {{half: {{whole: [1, 90]}}, whole: {{of: "{{half}} * 2"}}}}, least: {ONLY_A_KEY}, most: {ONLY_A_KEY + 9}}}
    key: "{{whole}}"
"""
DRAWS = '{{"doubled": {{"of": "{of}", "draws": [{draws}]}}}}'


def write_planted(root: Path, course: str = "") -> Path:
    """Write the course and return its folder. Its secret is a file inside it."""
    from grader.kinds.drawn import Varies
    from grader.stages.spec.reader import read_yaml

    varies = read_yaml(GRADED, "").data["questions"][3]["varies"]
    draws = ", ".join(
        f'{{"values": {{"half": {n}, "whole": {ONLY_A_KEY + n}}}, "key": {ONLY_A_KEY + n}}}' for n in range(1, 21)
    )
    hidden = HALVE.replace("held back, T: 4, D: 5", f"{HIDDEN_CASE}, T: {HIDDEN_SIZE}, D: 2")
    mistake = {
        "mistakes.py": 'MISTAKES = {"not_halved": {"half": lambda x: x}}\n',
        "mistakes.yaml": f"# {IN_COMMENTS}\n" + TEXTS,
    }
    return write_files(
        root,
        {
            "course.yaml": (COURSE + "    # none\n").replace("[recall]", "[recall, final]")
            + f"secret: {{file: reference_impl/secret.txt}}\npolicy: {{extensions: {{{PERSON}: 3 d}}}}\n"
            + course,
            "exercises/01_halve.yaml": f"# {IN_COMMENTS}\n" + hidden,
            "exercises/02_mix.yaml": MIX,
            "quizzes/01_recall.yaml": QUIZ,
            "quizzes/02_final.yaml": GRADED,
            "quizzes/02_final.draws.json": DRAWS.format(of=Varies.model_validate(varies).digest(), draws=draws),
            "reference_impl/__init__.py": INIT.replace(
                "    return steps.half(x)", f"    {IN_THE_REFERENCE}\n    return steps.half(x)"
            ),
            "reference_impl/steps.py": REFERENCE,
            "reference_impl/secret.txt": SECRET + "\n",
            **{f"reference_impl/{name}": text for name, text in mistake.items()},
        },
    )


def contents(files: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield every file with what it holds, those inside zips and wheels too, unpacked."""
    for name, data in files.items():
        yield name, data
        if data.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                yield from contents({f"{name}!{inner}": archive.read(inner) for inner in archive.namelist()})


def holding(files: Mapping[str, bytes], word: str | bytes) -> list[str]:
    """Return the names of files that hold a word, in their name or in what is in them."""
    sought = word.encode() if isinstance(word, str) else word
    return [name for name, data in contents(files) if sought in data or sought in name.encode()]


def read_folder(root: Path) -> dict[str, bytes]:
    """Return every file under a folder, by its path there."""
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}
