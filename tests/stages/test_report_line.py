"""A result knows the line on which the file defines what was asked for, and nobody reads the file as Python for it."""

from __future__ import annotations

import pytest
from small_course import exercise

from grader.model import Submission
from grader.stages.report import exercise_result

NESTED = "(" * 100_000


def line(source: str, **about: object) -> int | None:
    submission = Submission("mixing.py", "mixing", source.encode("utf-8", "surrogateescape"), **about)  # type: ignore[arg-type]
    return exercise_result(exercise(), submission, None, (), ()).line


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def mixing(q, k, v): ...", 1),
        ("import torch\n\n\ndef  mixing (q, k, v):\n    pass\n", 4),
        ("async def mixing(): ...", 1),
        ("class mixing: ...", 1),
        ("# first\nmixing = lambda q, k, v: q\n", 2),
        ("x = 1\r\nmixing: object = print\r\n", 2),
        ("def mixing(): ...\ndef other(): ...\ndef mixing(q): ...\n", 3),  # the last one counts
        ("def mixing_two(): ...\ndef remixing(): ...\n    def mixing(): ...\nmixing2 = 1\n", None),
        ("", None),
        ("\udcff\udcfe\ndef mixing(): ...", 2),
        (f"{NESTED}\ndef mixing(): ...", 2),
    ],
)
def test_the_line_of_the_last_definition_is_found(source: str, found: int | None) -> None:
    assert line(source) == found


def test_a_notebook_has_no_lines_of_a_file() -> None:
    assert line("def mixing(): ...", cells=((1, 1),)) is None
