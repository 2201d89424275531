"""Wrong answers that people give: what a file says of them, and what is wrong with what it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from grader.kinds.kind import Kind, Said
from grader.kinds.questions.asked import CallReference, Several
from grader.kinds.questions.computed import ComputedBy, differs, fitted, grid_of
from grader.kinds.questions.grids import same
from grader.kinds.questions.reading import Grid, shown
from grader.model import Message, message

Written = float | str
"""A number, or a text that `read_number` reads: `1/√2`, `e^0.25`."""


class Typical(Kind):
    """A wrong answer that people give, and what to say to it.

    `mistake` names the mistake of the reference that gives it. A question that varies may leave `value` out then: it is computed.
    """

    mistake: str | None = Field(default=None, min_length=1)
    feedback: Said

    @model_validator(mode="after")
    def _has_a_value(self) -> Typical:
        if getattr(self, "value", None) is None:
            raise PydanticCustomError("typical_value", "a typical wrong answer needs a value")
        return self


class TypicalNumber(Typical):
    """A wrong number that people get, and what to say to it."""

    value: Written | None = None


class TypicalNumbers(Typical):
    """A wrong vector or matrix that people get, and what to say to it."""

    value: Several[Any] | None = None


class TypicalShape(Typical):
    """A wrong shape that people get, and what to say to it."""

    value: Several[int | str] | None = None


def clashes(key: Grid, typical: Sequence[Grid], most: float) -> list[Message]:
    """A typical wrong value must not pass for the key, nor be the same as another one."""
    problems, seen = [], [key]
    for grid in typical:
        if any(same(grid, other, 2 * most) for other in seen):
            problems.append(
                message(
                    "the typical value {value} is too close to the key or to another one", value=shown(list(grid.cells))
                )
            )
        seen.append(grid)
    return problems


def against_reference(source: ComputedBy | None, call: CallReference, key: Grid, most: float) -> list[Message]:
    """The key must lie within half of what is allowed around what the reference gives."""
    if source is None:
        return []
    computed = fitted(grid_of(source.call(call)), key.shape)
    return [] if same(computed, key, most / 2) else [differs(_listed(key), _listed(computed), source.function)]


def against_mistakes(
    source: ComputedBy | None, call: CallReference, typical: Sequence[tuple[Typical, Grid]], most: float
) -> list[Message]:
    """A typical value with the name of a mistake must be what the reference gives with this mistake."""
    problems: list[Message] = []
    for each, written in typical:
        if each.mistake is None:
            continue
        if source is None:
            problems.append(message("a typical value that names a mistake needs computed_by"))
            continue
        computed = fitted(grid_of(source.call(call, mistake=each.mistake)), written.shape)
        if not same(computed, written, most):
            got, found = _listed(written), _listed(computed)
            problems.append(
                message("{mistake} gives {computed}, not {written}", mistake=each.mistake, computed=found, written=got)
            )
    return problems


def _listed(grid: Grid) -> str:
    return shown([round(cell or 0.0, 6) for cell in grid.cells])
