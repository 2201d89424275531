"""Questions that are answered by one number."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar

from pydantic import Field

from grader.kinds.questions.asked import (
    QUESTIONS,
    RIGHT,
    Asked,
    CallReference,
    Form,
    Judgement,
    Samples,
    Several,
)
from grader.kinds.questions.computed import ComputedBy
from grader.kinds.questions.reading import Grid, read_number
from grader.kinds.questions.typical import TypicalNumber, Written, against_mistakes, against_reference, clashes
from grader.model import Message, message

Digits = Annotated[int, Field(ge=1, le=12)]


def allowed(size: float, tolerance: float | None, digits: int) -> float:
    """Return how far an answer may be off: `tolerance`, else half a unit of the last of `digits` significant digits of `size`."""
    if tolerance is not None:
        return tolerance + 1e-9 * abs(size)
    exponent = math.floor(math.log10(abs(size))) if size else 0
    return 0.5 * 10.0 ** (exponent - digits + 1) * (1 + 1e-9)


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
        return Judgement(0.0, (message("that is not the value"),))

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
        most = self._allowed(key.cells[0] or 0.0)
        typical = [(each, Grid((), (read_number(each.value),))) for each in self.typical]
        return [
            *clashes(key, [grid for _, grid in typical], most),
            *against_reference(self.computed_by, call, key, most),
            *against_mistakes(self.computed_by, call, typical, most),
        ]
