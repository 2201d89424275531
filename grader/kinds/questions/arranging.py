"""Questions that are answered by arranging: bring steps into order, match things with things."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from grader.kinds.kind import Kind, Said
from grader.kinds.questions.asked import (
    QUESTIONS,
    RIGHT,
    Asked,
    Form,
    Judgement,
    Label,
    NotAnAnswer,
    Options,
    Samples,
    Several,
)
from grader.kinds.questions.reading import fields, read_word, read_words, shown, split
from grader.model import Sayable, message

Labels = Annotated[dict[str, Label], Field(min_length=2, max_length=12)]


class OtherOrder(Kind):
    """Another order that is right too, and what to say about it."""

    order: Several[str]
    feedback: Said


class OutOfOrder(Kind):
    """What to say when `late` was put before `early`."""

    early: str
    late: str
    feedback: Said


@QUESTIONS.word("order")
class Order(Asked):
    """Bring `items` (by letter) into the order `key`; `also` lists other right orders.

    `violations` say what is wrong when one step comes before another. `credit` is all (all or nothing) or pairs (each pair in the right
    order earns its share).
    """

    word: ClassVar[str] = "order"
    key_fields: ClassVar[tuple[str, ...]] = ("key", "also", "violations")
    items: Labels
    key: Several[str] | None = None
    also: Several[OtherOrder] = ()
    violations: Several[OutOfOrder] = ()
    credit: Literal["all", "pairs"] = "all"

    @model_validator(mode="after")
    def _key_fits(self) -> Order:
        for order in (*([self.key] if self.key else []), *(other.order for other in self.also)):
            if sorted(order) != sorted(self.items):
                raise PydanticCustomError("key_option", "an order must hold every item once")
        if self.key and list(self.key) == list(self.items):
            raise PydanticCustomError("key_option", "the items are listed in the right order: the answer is given away")
        return self

    def parse(self, raw: Any) -> tuple[str, ...]:
        order = read_words(raw, self.items)
        if sorted(order) != sorted(self.items):
            raise NotAnAnswer(
                message(
                    "an order names every item once: {items}; got {got}", items=", ".join(self.items), got=shown(raw)
                )
            )
        return order

    def compare(self, answer: tuple[str, ...]) -> Judgement:
        if answer == self.key:
            return RIGHT
        if other := next((other for other in self.also if other.order == answer), None):
            return Judgement(1.0, (other.feedback,))
        rank = {name: place for place, name in enumerate(answer)}
        said: list[Sayable] = [v.feedback for v in self.violations if rank[v.late] < rank[v.early]]
        pairs = list(combinations(self.key or (), 2))
        hits = sum(rank[early] < rank[late] for early, late in pairs)
        if not said:
            said.append(message("{right} of {all} pairs are in the right order", right=hits, all=len(pairs)))
        share = min(hits / len(pairs), 0.99) if self.credit == "pairs" else 0.0
        return Judgement(share, tuple(said))

    def form(self) -> Form:
        example = "[" + ", ".join(self.items) + "]"
        rule = (
            message("each pair in the right order earns its share")
            if self.credit == "pairs"
            else message("all or nothing")
        )
        return Form(
            message("all letters in the right order; {rule}", rule=rule), example, (Options(tuple(self.items.items())),)
        )

    def samples(self) -> Samples:
        if self.key is None:
            return Samples(())
        also = [list(other.order) for other in self.also]
        right = [list(self.key), *also]
        few = list(self.items)[:5]
        wrong = [list(order) + list(self.items)[5:] for order in permutations(few)]
        wrong = [order for order in wrong if order not in right][:24]
        return Samples(
            (*right, ", ".join(self.key)), tuple(wrong), ("", list(self.key)[:-1], [*self.key, self.key[0]], 7, {})
        )


@QUESTIONS.word("match")
class Match(Asked):
    """Give each thing on the `left` one on the `right`; `key` maps left to right, each pair is worth its share.

    `feedback` maps a thing on the left to what is said when it is matched wrongly.
    """

    word: ClassVar[str] = "match"
    key_fields: ClassVar[tuple[str, ...]] = ("key", "feedback")
    left: Labels
    right: Labels
    key: dict[str, str] | None = None
    feedback: dict[str, Said] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _key_fits(self) -> Match:
        if self.key is None:
            return self
        if sorted(self.key) != sorted(self.left) or not set(self.key.values()) <= set(self.right):
            raise PydanticCustomError("key_option", "the key must give each thing on the left one on the right")
        if sorted(self.feedback) != sorted(self.left):
            raise PydanticCustomError("option_feedback", "each thing on the left needs feedback of its own")
        return self

    def parse(self, raw: Any) -> dict[str, str]:
        given = fields(raw, tuple(self.left), self._pairs)
        if len(given) < len(self.left):
            missing = ", ".join(name for name in self.left if name not in given)
            raise NotAnAnswer(message("nothing is matched with {missing}", missing=missing))
        return {name: read_word(value, self.right) for name, value in given.items()}

    def _pairs(self, text: str) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        for piece in split(text.strip("{}"), ",;，、；"):
            left, found, right = piece.replace("：", ":").replace("＝", "=").replace("=", ":").partition(":")
            if not found:
                raise NotAnAnswer(
                    message("expected pairs such as {example}, got {got}", example=self.form().example, got=shown(text))
                )
            pairs[read_word(left, self.left)] = right
        return pairs

    def compare(self, answer: dict[str, str]) -> Judgement:
        key = self.key or {}
        wrong = [name for name in self.left if answer[name] != key[name]]
        if not wrong:
            return RIGHT
        said = tuple(message("({name}) {feedback}", name=name, feedback=self.feedback[name]) for name in wrong)
        return Judgement(1 - len(wrong) / len(self.left), said)

    def form(self) -> Form:
        right = list(self.right)
        example = (
            "{" + ", ".join(f"{name}: {right[-1 - index % len(right)]}" for index, name in enumerate(self.left)) + "}"
        )
        options = (Options(tuple(self.left.items())), Options(tuple(self.right.items()), message("match with")))
        return Form(message("a pair for each one; each pair earns its share"), example, options)

    def samples(self) -> Samples:
        if self.key is None:
            return Samples(())
        wrong = [{**self.key, name: other} for name in self.left for other in self.right if other != self.key[name]]
        text = ", ".join(f"{left}={right}" for left, right in self.key.items())
        return Samples(
            (dict(self.key), text),
            tuple(wrong),
            ("", "a lot", {}, {"no such": "thing"}, dict.fromkeys(self.left, "no such"), 5),
        )
