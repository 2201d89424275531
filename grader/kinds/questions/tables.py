"""Questions that are answered by a vector or a matrix."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

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
from grader.kinds.questions.computed import ComputedBy
from grader.kinds.questions.grids import agree, likeness, nested, place, same, shape_example, sized
from grader.kinds.questions.numeric import Digits, allowed
from grader.kinds.questions.reading import Grid, read_grid
from grader.kinds.questions.typical import TypicalNumbers, against_mistakes, against_reference, clashes
from grader.model import Message, message


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
        if all(cell is None for cell in grid.cells):
            raise NotAnAnswer(message("no number is there"))
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
            said = message("got {got}, expected {expected}", got=sized(answer.shape), expected=sized(key.shape))
            pattern = likeness(answer, key, most)
            return Judgement(0.0, (message("{tally}; {pattern}", tally=said, pattern=pattern) if pattern else said,))
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
        wrong = (nested(off, key.shape), *(list(typical.value or ()) for typical in self.typical))
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
        most = self._allowed(key)
        typical = [(each, read_grid(each.value)) for each in self.typical]
        return [
            *clashes(key, [grid for _, grid in typical], most),
            *against_reference(self.computed_by, call, key, most),
            *against_mistakes(self.computed_by, call, typical, most),
        ]
