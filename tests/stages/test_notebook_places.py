"""Lines of a program become cells and lines in them, in every text of a result."""

from __future__ import annotations

import ast
from pathlib import Path

import grader.stages.faults
import grader.stages.story
from grader.locale import say
from grader.model import Outcome, Result, Submission, Verdict, message
from grader.stages.notebook import in_cells
from grader.stages.notebook.places import IN_CELLS

PLACES = ((1, 1), (1, 2), (3, 1), (3, 2))
TITLE = {"en": "T", "zh": "T"}


def result(**more: object) -> Result:
    return Result("exercise", "slug", TITLE, Verdict.ERRORED, 0.0, 1.0, **more)  # type: ignore[arg-type]


def submission(places: tuple[tuple[int, int], ...] = PLACES) -> Submission:
    return Submission("work.ipynb", "slug", b"a\nb\nc\nd\n", cells=places, remarks=(message("noticed"),))


def test_a_line_is_said_as_cell_and_line_however_deep_in_a_message() -> None:
    raised = message("line {line} raised {error}", line=4, error="E")
    found = in_cells(result(headline=message('Case "{case}": {what}', case="c", what=raised)), submission())
    assert say(found.headline, "en") == 'Case "c": cell 3, line 2 raised E'  # type: ignore[arg-type]
    assert [say(detail, "en") for detail in found.details] == ["noticed"]


def test_a_text_that_is_not_known_is_said_after_the_cell() -> None:
    outcome = Outcome("c", "forbids", Verdict.FAILED, message=message("line {line} uses `{name}`", line=3, name="f"))
    found = in_cells(result(outcomes=(outcome,)), submission())
    assert say(found.outcomes[0].message, "en") == "cell 3: line 1 uses `f`"  # type: ignore[arg-type]


def test_the_lines_that_are_shown_are_counted_in_their_cells() -> None:
    found = in_cells(result(source=((2, "f", "b"), (4, "g", "d"))), submission())
    assert found.source == ((2, "f", "b"), (2, "g", "d"))
    assert found.cells == (1, 3)


def test_a_line_that_the_program_does_not_have_is_left_alone() -> None:
    headline = message("line {line} raised {error}", line=99, error="E")
    found = in_cells(result(headline=headline, source=((0, "f", "x"),)), submission())
    assert (found.headline, found.source, found.cells) == (headline, ((0, "f", "x"),), (0,))


def test_a_file_keeps_its_lines_and_an_ordinary_submission_its_result() -> None:
    headline = message("line {line} raised {error}", line=2, error="E")
    found = in_cells(result(headline=headline, source=((2, "f", "b"),)), submission(((0, 1), (0, 7))))
    assert say(found.headline, "en") == "line 7 raised E"  # type: ignore[arg-type]
    assert (found.source, found.cells) == (((7, "f", "b"),), ())
    plain = result(headline=headline)
    assert in_cells(plain, Submission("a.py", "slug", b"a\n")) is plain


def test_every_text_about_a_line_of_the_program_has_one_about_cells() -> None:
    templates = set()
    for module in (grader.stages.faults, grader.stages.story):
        for node in ast.walk(ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "{line}" in node.value:
                templates.add(node.value)
    assert templates == set(IN_CELLS)
