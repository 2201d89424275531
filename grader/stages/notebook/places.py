"""A result that counts lines of a program in, the same result that counts cells and lines in them out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from grader.model import Message, Result, Submission, message
from grader.stages.notebook.choosing import Place

IN_CELLS: Mapping[str, Callable[[Mapping[str, Any]], Message]] = {
    "line {line} raised {error}": lambda fields: message("cell {cell}, line {line} raised {error}", **fields),
    "line {line}, in `{function}`, raised {error}": lambda fields: message(
        "cell {cell}, line {line}, in `{function}`, raised {error}", **fields
    ),
    "Python cannot read line {line} of your file: {text}": lambda fields: message(
        "Python cannot read line {line} of cell {cell}: {text}", **fields
    ),
}
"""What messages that name a line say of a notebook; any other one is said after the number of the cell."""


def in_cells(result: Result, submission: Submission) -> Result:
    """Return the result with lines of the program as cells and lines in them, and with what was noticed in the notebook.

    A cell with the number 0 is a file: its lines are lines again. Without `submission.cells` only the remarks are added.
    """
    places = submission.cells
    if not places and not submission.remarks:
        return result
    source = tuple((*_place(places, line), function, code) for line, function, code in result.source)
    return replace(
        result,
        headline=_said(result.headline, places),
        next_step=_said(result.next_step, places),
        details=(*(_said(detail, places) for detail in result.details), *submission.remarks),
        outcomes=tuple(replace(outcome, message=_said(outcome.message, places)) for outcome in result.outcomes),
        source=tuple((line, function, code) for _, line, function, code in source),
        cells=tuple(cell for cell, *_ in source) if any(cell for cell, _ in places) else (),
    )


def _place(places: tuple[Place, ...], line: int) -> Place:
    """Return where a line comes from; the child's word for a line is a claim, so it may be none of the program."""
    return places[line - 1] if 1 <= line <= len(places) else (0, line)


def _said(text: Any, places: tuple[Place, ...]) -> Any:
    """Return a message about lines as one about cells and lines; every other text or field as it is."""
    if not isinstance(text, Message):
        return text
    fields = {name: _said(field, places) for name, field in text.fields.items()}
    if type(fields.get("line")) is not int:
        return replace(text, fields=fields)
    cell, fields["line"] = _place(places, fields["line"])
    if not cell:
        return replace(text, fields=fields)
    if text.template in IN_CELLS:
        return IN_CELLS[text.template]({**fields, "cell": cell})
    return message("cell {cell}: {what}", cell=cell, what=replace(text, fields=fields))
