"""Questions that are answered by a number, a vector or a matrix."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Annotated, Any, ClassVar

from pydantic import Field

from grader.kinds.kind import Kind, Said
from grader.kinds.questions.asked import (
    QUESTIONS,
    RIGHT,
    Asked,
    CallReference,
    Form,
    Judgement,
    NotAnAnswer,
    Samples,
    Several,
)
from grader.kinds.questions.computed import ComputedBy, differs, grid_of
from grader.kinds.questions.grids import agree, likeness, nested, place, same, shape_example, sized
from grader.kinds.questions.reading import Grid, read_grid, read_number, shown
from grader.model import Message, message

Written = float | str
"""A number, or a text that `read_number` reads: `1/√2`, `e^0.25`."""

Digits = Annotated[int, Field(ge=1, le=12)]


def allowed(size: float, tolerance: float | None, digits: int) -> float:
    """Return how far an answer may be off: `tolerance`, else half a unit of the last of `digits` significant digits of `size`."""
    if tolerance is not None:
        return tolerance + 1e-9 * abs(size)
    exponent = math.floor(math.log10(abs(size))) if size else 0
    return 0.5 * 10.0 ** (exponent - digits + 1) * (1 + 1e-9)


class TypicalNumber(Kind):
    """A wrong number that people get, and what to say to it."""

    value: Written
    feedback: Said


@QUESTIONS.word("number")
class Number(Asked):
    """One number: right within `tolerance`, or when rounded to `digits` significant digits (3 unless said).

    `typical` lists wrong values with their feedback; `computed_by` says which call of the reference gives the key.
    """

    word: ClassVar[str] = "number"
    key_fields: ClassVar[tuple[str, ...]] = ("key", "typical", "computed_by")
    key: Written | None = None
    tolerance: float | None = Field(default=None, ge=0)
    digits: Digits = 3
    typical: Several[TypicalNumber] = ()
    computed_by: ComputedBy | None = None

    def parse(self, raw: Any) -> float:
        return read_number(raw)

    def _allowed(self, key: float) -> float:
        return allowed(key, self.tolerance, self.digits)

    def compare(self, answer: float) -> Judgement:
        key = read_number(self.key)
        off, most = abs(answer - key), self._allowed(key)
        if off <= most:
            return RIGHT
        for typical in self.typical:
            value = read_number(typical.value)
            if abs(answer - value) <= self._allowed(value):
                return Judgement(0.0, (typical.feedback,))
        if off <= 20 * most:
            return Judgement(
                0.0, (message("close, but not within ±{most}: compute with more digits", most=f"{most:.1g}"),)
            )
        if abs(answer + key) <= most:
            return Judgement(0.0, (message("the size is right, the sign is not"),))
        return Judgement(0.0, (message("{got} is not it", got=f"{answer:.6g}"),))

    def form(self) -> Form:
        accepts = message(
            "a number, rounded to at least {digits} significant digits, or an expression like 2/√7", digits=self.digits
        )
        if self.tolerance == 0:
            accepts = message("an exact number, or an expression like 3·4^2")
        elif self.tolerance is not None:
            accepts = message("a number, exact to ±{most}, or an expression like 2/√7", most=f"{self.tolerance:g}")
        return Form(accepts, "3·4^2" if self.tolerance == 0 else "2/√7")

    def samples(self) -> Samples:
        if self.key is None:
            return Samples(())
        key = read_number(self.key)
        wrong = (key + 3 * self._allowed(key) + 1e-6, *(typical.value for typical in self.typical))
        return Samples(
            (self.key, key, f"{key:.12g}", f"{key:.12e}"), wrong, ("", "a lot", "1/0", "1 2", [key, key], None, True)
        )

    def key_problems(self, call: CallReference) -> list[Message]:
        key = Grid((), (read_number(self.key),))
        problems = _typical_problems(
            key, (Grid((), (read_number(t.value),)) for t in self.typical), self._allowed(key.cells[0] or 0.0)
        )
        return problems + _reference_problems(self.computed_by, call, key, self._allowed(key.cells[0] or 0.0))


class TypicalNumbers(Kind):
    """A wrong vector or matrix that people get, and what to say to it."""

    value: Several[Any]
    feedback: Said


@QUESTIONS.word("numbers")
class Numbers(Asked):
    """A vector or matrix, each cell right within `tolerance` or to `digits` digits (of the largest cell), and each worth its share.

    `cells` is the shape of the answer that the form shows; another one is then no answer. `typical` and `computed_by` as for a number.
    """

    word: ClassVar[str] = "numbers"
    key_fields: ClassVar[tuple[str, ...]] = ("key", "typical", "computed_by")
    key: Several[Any] | None = Field(default=None, min_length=1)
    cells: Several[Annotated[int, Field(ge=1, le=64)]] | None = None
    tolerance: float | None = Field(default=None, ge=0)
    digits: Digits = 3
    typical: Several[TypicalNumbers] = ()
    computed_by: ComputedBy | None = None

    def parse(self, raw: Any) -> Grid:
        grid = read_grid(raw)
        if self.cells is not None and grid.shape != self.cells:
            raise NotAnAnswer(
                message("expected {expected}, got {got}", expected=sized(self.cells), got=sized(grid.shape))
            )
        return grid

    def _allowed(self, key: Grid) -> float:
        return allowed(
            max((abs(cell) for cell in key.cells if cell is not None), default=0.0), self.tolerance, self.digits
        )

    def compare(self, answer: Grid) -> Judgement:
        key = read_grid(self.key)
        most = self._allowed(key)
        if answer.shape != key.shape:
            return Judgement(
                0.0, (message("got {got}, expected {expected}", got=sized(answer.shape), expected=sized(key.shape)),)
            )
        hits = [agree(got, right, most) for got, right in zip(answer.cells, key.cells, strict=True)]
        if all(hits):
            return RIGHT
        share = sum(hits) / len(hits)
        for typical in self.typical:
            if same(answer, read_grid(typical.value), most):
                return Judgement(share, (typical.feedback,))
        places = ", ".join(place(index, key.shape) for index, hit in enumerate(hits) if not hit)
        tally = message(
            "{right} of {all} numbers are right; look again at {places}", right=sum(hits), all=len(hits), places=places
        )
        pattern = likeness(answer, key, most)
        said = message("{tally}; {pattern}", tally=tally, pattern=pattern) if pattern else tally
        return Judgement(share, (said,))

    def form(self) -> Form:
        example = "[2/√7, -0.25]" if self.cells is None else shape_example(self.cells)
        what = sized(self.cells) if self.cells is not None else message("numbers")
        accepts = message(
            "{what}, rounded to at least {digits} digits; each one earns its share", what=what, digits=self.digits
        )
        if self.tolerance is not None:
            accepts = message(
                "{what}, exact to ±{most}; each one earns its share", what=what, most=f"{self.tolerance:g}"
            )
        return Form(accepts, example)

    def samples(self) -> Samples:
        if self.key is None:
            return Samples(())
        key = read_grid(self.key)
        numbers = [cell or 0.0 for cell in key.cells]
        off = [*numbers[:-1], numbers[-1] + 3 * self._allowed(key) + 1e-6]
        wrong = (nested(off, key.shape), *(list(typical.value) for typical in self.typical))
        exact = nested(numbers, key.shape)
        return Samples((list(self.key), exact, str(exact)), wrong, ("", "a, b", {"a": 1}, [[1], [1, 2]], "1/0", True))

    def key_problems(self, call: CallReference) -> list[Message]:
        key = read_grid(self.key)
        if None in key.cells:
            return [message("the key has a blank cell")]
        if self.cells is not None and key.shape != self.cells:
            return [
                message("the key is {got}, but cells says {expected}", got=sized(key.shape), expected=sized(self.cells))
            ]
        problems = _typical_problems(key, (read_grid(typical.value) for typical in self.typical), self._allowed(key))
        return problems + _reference_problems(self.computed_by, call, key, self._allowed(key))


def _typical_problems(key: Grid, typical: Iterable[Grid], most: float) -> list[Message]:
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


def _reference_problems(source: ComputedBy | None, call: CallReference, key: Grid, most: float) -> list[Message]:
    """The key must lie within half of what is allowed around what the reference gives."""
    if source is None:
        return []
    computed = grid_of(source.call(call))
    if same(computed, key, most / 2):
        return []
    return [differs(shown(list(key.cells)), shown([round(cell or 0.0, 6) for cell in computed.cells]), source.function)]
