"""Questions that are answered by a shape: axis by axis, in symbols or in numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

from grader.kinds.formula.spelling import plain
from grader.kinds.formula.tree import FormulaError
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
from grader.kinds.questions.broadcasting import broadcast, explained
from grader.kinds.questions.computed import ComputedBy, differs, grid_of
from grader.kinds.questions.reading import MAX_TEXT, shown, split
from grader.kinds.questions.typical import TypicalShape
from grader.model import Message, Sayable, message

MAX_AXES = 12
DRAWS = 3
SIZES = (29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73)  # primes: no product of sizes is another size or product
WRAPPING = re.compile(r"(?:torch\.)?Size\((.*)\)")
BRACKETS = {"(": ")", "[": "]"}

Axis = Annotated[int | str, Field()]


@QUESTIONS.word("shape")
class Shape(Asked):
    """The shape of a tensor: `key` lists its axes as numbers or as expressions in `symbols` (`d_model/h`); each axis is worth its share.

    `where` says which symbols are the same as an expression in others (`d_k: d_model/h`), so that either is accepted. `aliases` are other
    names for symbols. `typical` lists wrong shapes with their feedback; `computed_by` is the reference's call for a key of numbers.
    `broadcast` lists the leading axes that broadcast together: a wrong answer is told how they do.
    """

    word: ClassVar[str] = "shape"
    key_fields: ClassVar[tuple[str, ...]] = ("key", "typical", "computed_by", "broadcast")
    symbols: Annotated[Several[str], Field(max_length=len(SIZES))] = ()
    where: dict[str, str] = Field(default_factory=dict)
    aliases: dict[str, str] = Field(default_factory=dict)
    key: Several[Axis] | None = None
    typical: Several[TypicalShape] = ()
    computed_by: ComputedBy | None = None
    broadcast: Annotated[Several[Several[Axis]], Field(max_length=4)] = ()

    def parse(self, raw: Any) -> tuple[str, ...]:
        axes = _axes(raw)
        if len(axes) > MAX_AXES:
            raise NotAnAnswer(message("a shape of more than {most} axes", most=MAX_AXES))
        for axis in axes:
            self._sizes(axis)
        return axes

    def _sizes(self, axis: str) -> tuple[float, ...]:
        """Return how large an axis is in each draw; raise NotAnAnswer where it is no size at all."""
        from grader.kinds.formula.grammar import parse
        from grader.kinds.formula.typed import Scope
        from grader.kinds.formula.values import evaluate

        names = {**{name: name for name in self.symbols}, **self.aliases}
        try:
            tree = parse(axis, tuple(names), self.symbols)
            sizes = tuple(evaluate(tree, Scope(values, names)).number for values in self._draws(names))
        except FormulaError as error:
            raise NotAnAnswer(message("the axis {axis} is not read: {why}", axis=shown(axis), why=error.why)) from None
        if not all(size > 0 for size in sizes):
            raise NotAnAnswer(message("an axis has a size of 1 or more, got {axis}", axis=shown(axis)))
        return sizes

    def _draws(self, names: Mapping[str, str]) -> list[dict[str, Any]]:
        from grader.kinds.formula.grammar import parse
        from grader.kinds.formula.typed import Scope, scalar
        from grader.kinds.formula.values import evaluate

        draws = []
        for number in range(DRAWS):
            turned = SIZES[number:] + SIZES[:number]
            values = {name: scalar(float(size)) for name, size in zip(self.symbols, turned, strict=False)}
            for name, meaning in self.where.items():
                values[name] = evaluate(parse(meaning, tuple(names)), Scope(values, names))
            draws.append(values)
        return draws

    def _same(self, got: str, right: str) -> bool:
        return all(abs(a - b) < 1e-9 * b for a, b in zip(self._sizes(got), self._sizes(right), strict=True))

    def _same_shape(self, got: tuple[str, ...], right: tuple[str, ...]) -> bool:
        return len(got) == len(right) and all(map(self._same, got, right))

    def compare(self, answer: tuple[str, ...]) -> Judgement:
        key = _axes(self.key)
        hits = [self._same(got, right) for got, right in zip(answer, key, strict=False)]
        if len(answer) == len(key) and all(hits):
            return RIGHT
        share = sum(hits) / len(key) if key and len(answer) == len(key) else 0.0
        stretched = (explained(self.broadcast),) if self.broadcast else ()
        return Judgement(share, (self._difference(answer, key, hits), *stretched))

    def _difference(self, answer: tuple[str, ...], key: tuple[str, ...], hits: list[bool]) -> Sayable:
        for typical in self.typical:
            if self._same_shape(answer, _axes(typical.value)):
                return typical.feedback
        if len(answer) != len(key):
            return message("got {got} axes, expected {expected}", got=len(answer), expected=len(key))
        if sorted(map(self._sizes, answer)) == sorted(map(self._sizes, key)):
            return message("these are the right axes in another order")
        wrong = ", ".join(f"{index + 1} ({answer[index]})" for index, hit in enumerate(hits) if not hit)
        return message(
            "{right} of {all} axes are right; look again at axis {wrong}", right=sum(hits), all=len(key), wrong=wrong
        )

    def form(self) -> Form:
        if not self.symbols:
            return Form(message("a shape in numbers; each axis earns its share"), "(2, 5, 3)")
        accepts = message(
            "a shape in the symbols {symbols}, or in expressions of them; each axis earns its share",
            symbols=", ".join(self.symbols),
        )
        return Form(accepts, f"({self.symbols[-1]}, 2)")

    def samples(self) -> Samples:
        if self.key is None:
            return Samples(())
        key = _axes(self.key)
        right = (list(self.key), f"({', '.join(key)},)", " × ".join(key))
        wrong = ([*key, key[-1]] if key else ["1"], *(list(typical.value or ()) for typical in self.typical))
        return Samples(right, wrong, ("(", ["no_such_symbol"], [0], [-2], ["1/0"], {"a": 1}, 2.5, [None]))

    def key_problems(self, call: CallReference) -> list[Message]:
        try:
            key, *typical = (
                self.parse(list(value)) for value in (self.key or (), *(t.value or () for t in self.typical))
            )
        except NotAnAnswer as error:
            return [error.why]
        problems, seen = [], [key]
        for value in typical:
            if any(self._same_shape(value, other) for other in seen):
                problems.append(message("the typical value {value} is the key or another one", value=shown(value)))
            seen.append(value)
        if self.broadcast and (broadcast(self.broadcast) or ("?",)) != key[: max(map(len, self.broadcast))]:
            problems.append(message("the key does not begin with the axes that broadcast gives"))
        return problems + self._reference_problems(call, key)

    def _reference_problems(self, call: CallReference, key: tuple[str, ...]) -> list[Message]:
        source = self.computed_by
        if source is None:
            wants = any(typical.mistake for typical in self.typical)
            return [message("a typical value that names a mistake needs computed_by")] if wants else []
        problems = []
        for typical in (None, *(each for each in self.typical if each.mistake)):
            mistake, written = (typical.mistake, _axes(typical.value)) if typical else (None, key)
            computed = tuple(f"{cell:g}" for cell in grid_of(source.call(call, mistake=mistake)).cells)
            if computed != written:
                problems.append(differs(shown(written), shown(computed), mistake or source.function))
        return problems


def _axes(raw: Any) -> tuple[str, ...]:
    """Return the axes that an answer lists, each as text: `[2, d_k]`, `(2, d_k)`, `2×d_k`, `torch.Size([2, 5])`."""
    if isinstance(raw, (list, tuple)):
        if any(isinstance(axis, bool) or not isinstance(axis, (int, str)) for axis in raw):
            raise NotAnAnswer(message("an axis is a whole number or a symbol, got {got}", got=shown(raw)))
        return tuple(shown(axis, MAX_TEXT).strip() for axis in raw)
    if isinstance(raw, int) and not isinstance(raw, bool):
        return (shown(raw),)
    if not isinstance(raw, str) or not raw.strip() or len(raw) > MAX_TEXT:
        raise NotAnAnswer(message("expected a shape, got {got}", got=shown(raw) or "''"))
    return _split_axes(raw)


def _split_axes(raw: str) -> tuple[str, ...]:
    text = re.sub(r"[×✕]|(?<=[\w\s])\s[xX]\s(?=[\w\s])|\\times(?![A-Za-z])", ",", raw)
    text = plain(text).replace(";", ",").replace("\\left", "").replace("\\right", "").strip(" $")
    if wrapped := WRAPPING.fullmatch(text):
        text = wrapped.group(1).strip()
    if BRACKETS.get(text[:1]) == text[-1:] and len(split(text[1:-1], ",")) >= 1 and _balanced(text[1:-1]):
        text = text[1:-1].strip()
    pieces = [piece.strip() for piece in split(text, ",")]
    if pieces and not pieces[-1]:
        pieces.pop()  # the comma of a shape with one axis
    if not all(pieces):
        raise NotAnAnswer(message("an axis is missing in {got}", got=shown(raw)))
    return tuple(pieces)


def _balanced(text: str) -> bool:
    depth = 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            return False
    return depth == 0
