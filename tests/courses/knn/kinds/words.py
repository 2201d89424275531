"""Questions that are answered by one word."""

from __future__ import annotations

from typing import Any, ClassVar

from grader.kinds.kind import Said
from grader.kinds.questions import QUESTIONS, Asked, Form, Judgement, NotAnAnswer, Samples
from grader.model import message


@QUESTIONS.word("one_word")
class OneWord(Asked):
    """One word: right when it is among those of `key`, in any case of its letters."""

    word: ClassVar[str] = "one_word"
    key_fields: ClassVar[tuple[str, ...]] = ("key", "feedback")
    key: list[str] | None = None
    feedback: Said | None = None

    def parse(self, raw: Any) -> str:
        if not isinstance(raw, str) or len(raw.split()) != 1:
            raise NotAnAnswer(message("{told}", told={"en": "expected one word", "zh": "应为一个词"}))
        return raw.strip().casefold()

    def compare(self, answer: str) -> Judgement:
        right = answer in {word.casefold() for word in self.key or ()}
        return Judgement(1.0) if right else Judgement(0.0, (self.feedback,) if self.feedback else ())

    def form(self) -> Form:
        return Form(message("{told}", told={"en": "one word", "zh": "一个词"}), "word")

    def samples(self) -> Samples:
        return Samples(tuple(self.key or ()), ("nonsense",) if self.feedback else (), ("", "two words", 3, None))
