"""Questions that are answered by a formula, in whatever spelling: LaTeX, unicode or Python."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from grader.kinds.formula.tree import FormulaError, Unreadable
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
from grader.kinds.questions.computed import ComputedBy
from grader.kinds.questions.reading import text_of
from grader.model import Message, message

MASK_HALF = {
    "blocking only": message(
        "this equals the right formula for every mask of 0 and −∞, but not for a mask of other numbers (such as a distance penalty): "
        "what happens to M on its way?"
    ),
    "finite only": message(
        "this equals the right formula for finite masks, but where M is −∞ it computes ∞ − ∞, which is not a number"
    ),
}


class TypicalFormula(Kind):
    """A wrong formula that people write, and what to say to it. It is recognised by value, in any spelling."""

    value: str
    feedback: Said
    credit: float = Field(default=0.0, ge=0, lt=1)


@QUESTIONS.word("formula")
class Formula(Asked):
    """A formula, judged by value on random matrices whose sizes all differ; any spelling in LaTeX, unicode or Python is read.

    `symbols` gives each symbol its axes (`Q: [n_q, d_k]`), none for a scalar (`d_k: []`, worth the size of that axis).
    Symbols in `masks` are drawn as finite numbers and as 0 and −∞; agreement on one family only earns `partial` of the
    points. `aliases` are further names. `typical` lists wrong formulas with their feedback. `computed_by` is the call of
    the reference that the key is checked against.
    """

    word: ClassVar[str] = "formula"
    key_fields: ClassVar[tuple[str, ...]] = ("key", "typical", "computed_by")
    symbols: Annotated[dict[str, Several[str]], Field(min_length=1, max_length=12)]
    masks: Several[str] = ()
    aliases: dict[str, str] = Field(default_factory=dict)
    key: str | None = None
    partial: float = Field(default=0.5, ge=0, lt=1)
    typical: Several[TypicalFormula] = ()
    computed_by: ComputedBy | None = None

    def _space(self) -> Any:
        from grader.kinds.formula.judging import Space

        return Space(tuple(self.symbols.items()), frozenset(self.masks), tuple(self.aliases.items()))

    def parse(self, raw: Any) -> str:
        from grader.kinds.formula.judging import read

        text = text_of(raw)
        try:
            read(text, self._space())
        except FormulaError as error:
            raise NotAnAnswer(error.why) from None
        return text

    def compare(self, answer: str) -> Judgement:
        from grader.kinds.formula.judging import Agreement, agreement

        try:
            found = agreement(answer, self.key or "", self._space())
            if found is Agreement.EQUAL:
                return RIGHT
            if typical := self._recognised(answer):
                return Judgement(typical.credit, (typical.feedback,))
        except FormulaError as error:
            return Judgement(0.0, (error.why,))
        if said := MASK_HALF.get(found.value):
            return Judgement(self.partial, (said,))
        return Judgement(0.0, (self._difference(answer, found.value),))

    def _recognised(self, answer: str) -> TypicalFormula | None:
        from grader.kinds.formula.judging import Masks, compute, same

        got = compute(answer, self._space(), Masks.FINITE)
        return next((t for t in self.typical if same(got, compute(t.value, self._space(), Masks.FINITE))), None)

    def _difference(self, answer: str, found: str) -> Message:
        from grader.kinds.formula.judging import Masks, compute

        got, expected = (str(compute(text, self._space(), Masks.FINITE)[0]) for text in (answer, self.key or ""))
        if found == "transposed":
            return message(
                "this is the transpose of the right formula: got {got}, expected {expected}", got=got, expected=expected
            )
        if found == "other shape":
            scalar = message("a scalar")
            return message(
                "the shape is not right: got {got}, expected {expected}", got=got or scalar, expected=expected or scalar
            )
        return message("the shape {got} is right, the value is not", got=got or message("a scalar"))

    def form(self) -> Form:
        accepts = message("a formula in {symbols}; LaTeX, unicode or Python", symbols=", ".join(self.symbols))
        first = next(iter(self.symbols))
        return Form(accepts, f"'2 · {first}ᵀ'")

    def samples(self) -> Samples:
        if self.key is None:
            return Samples(())
        right = (self.key, f"  ( {self.key} ) ", f"Z = {self.key}")
        wrong = (f"2 * ({self.key})", f"({self.key})^T", *(typical.value for typical in self.typical))
        return Samples(right, wrong, ("", "(", f"{self.key} +", "no_such_symbol", "9" * 700, "(" * 50, ["Q"], None, 3))

    def key_problems(self, call: CallReference) -> list[Message]:
        from grader.kinds.formula.judging import must_be_finite

        try:
            must_be_finite(self.key or "", self._space())
            problems = self._typical_problems()
        except FormulaError as error:
            return [message("the key {formula} cannot be used: {why}", formula=self.key, why=error.why)]
        return problems + ([] if self.computed_by is None else self._reference_problems(self.computed_by, call))

    def _typical_problems(self) -> list[Message]:
        """A typical formula must be readable and be recognised as itself, not as an earlier one."""
        problems = []
        for typical in self.typical:
            try:
                if self._recognised(typical.value) is not typical:
                    problems.append(
                        message("the typical formula {formula} is the same as another one", formula=typical.value)
                    )
            except Unreadable as error:
                problems.append(
                    message("the typical formula {formula} is not read: {why}", formula=typical.value, why=error.why)
                )
            except FormulaError as error:
                why = error.why
                problems.append(
                    message("the typical formula {formula} cannot be computed: {why}", formula=typical.value, why=why)
                )
        return problems

    def _reference_problems(self, source: ComputedBy, call: CallReference) -> list[Message]:
        import numpy as np

        from grader.kinds.formula.judging import Masks, arrays, compute

        masks = Masks.BLOCKING if self.masks else Masks.FINITE
        right = compute(self.key or "", self._space(), masks)
        for drawn, expected in zip(arrays(self._space(), masks), right, strict=True):
            known = {name: (value == 0 if name in self.masks else value) for name, value in drawn.items()}
            arguments = {
                name: known.get(value, value) if isinstance(value, str) else value
                for name, value in source.arguments.items()
            }
            got = np.asarray(source.call(call, arguments), dtype=np.float64)
            if got.shape != expected.array.shape or not np.allclose(got, expected.array, rtol=1e-6, atol=1e-9):
                return [message("the key is not what {function} of the reference gives", function=source.function)]
        return []
