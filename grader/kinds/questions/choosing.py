"""Questions that are answered by choosing: one option, several, or true or false with a reason."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from grader.kinds.questions.asked import (
    QUESTIONS,
    RIGHT,
    Asked,
    Chosen,
    Form,
    Judgement,
    NotAnAnswer,
    Option,
    Samples,
    Several,
    offered,
)
from grader.kinds.questions.reading import read_word, read_words, shown
from grader.model import Message, Sayable, message


def must_be_options(key: tuple[str, ...], options: dict[str, Option]) -> None:
    """Raise an author's error where the key names no option, or a wrong option has no feedback of its own."""
    for name in key:
        if name not in options:
            raise PydanticCustomError("key_option", "the key {name} is not one of the options", {"name": name})
    if key:
        must_have_feedback({name: option for name, option in options.items() if name not in key})


def must_have_feedback(wrong: dict[str, Option]) -> None:
    """Raise an author's error for the first wrong option without feedback."""
    for name, option in wrong.items():
        if option.feedback is None:
            raise PydanticCustomError(
                "option_feedback", "the wrong option {name} needs feedback of its own", {"name": name}
            )


def keyless(options: dict[str, Option]) -> dict[str, Option]:
    """Return the options without their feedback, which would tell the answer."""
    return {name: option.model_copy(update={"feedback": None}) for name, option in options.items()}


@QUESTIONS.word("choice")
class Choice(Asked):
    """One option of several: `options` by letter, `key` the letter of the right one; every wrong option has its own feedback."""

    word: ClassVar[str] = "choice"
    options: Chosen
    key: str | None = None

    @model_validator(mode="after")
    def _key_fits(self) -> Choice:
        must_be_options((self.key,) if self.key else (), self.options)
        return self

    def parse(self, raw: Any) -> str:
        return read_word(raw, self.options)

    def compare(self, answer: str) -> Judgement:
        feedback = self.options[answer].feedback
        return RIGHT if answer == self.key else Judgement(0.0, (feedback,) if feedback else ())

    def form(self) -> Form:
        return Form(message("one letter"), next(iter(self.options)), (offered(self.options),))

    def samples(self) -> Samples:
        if self.key is None:
            return Samples(())
        wrong = tuple(name for name in self.options if name != self.key)
        return Samples((self.key, f" {self.key.upper()}) "), wrong, ("", "no such option", [self.key], 3.5, None, True))

    def without_key(self) -> Choice:
        return self.model_copy(update={"key": None, "options": keyless(self.options)})


RULES: dict[str, Message] = {
    "all": message("points only when exactly the right ones are chosen"),
    "each": message("every option that is rightly chosen or rightly left out earns its share"),
    "net": message("every right choice earns its share, every wrong one costs as much, never below zero"),
}


@QUESTIONS.word("choices")
class Choices(Asked):
    """Several options of many: `key` lists the letters of all right ones; `credit` is all (all or nothing), each or net."""

    word: ClassVar[str] = "choices"
    options: Chosen
    key: Several[str] | None = Field(default=None, min_length=1)
    credit: Literal["all", "each", "net"] = "net"

    @model_validator(mode="after")
    def _key_fits(self) -> Choices:
        must_be_options(self.key or (), self.options)
        return self

    def parse(self, raw: Any) -> frozenset[str]:
        words = read_words(raw, self.options)
        if not words:
            raise NotAnAnswer(message("no option is chosen"))
        if len(set(words)) < len(words):
            raise NotAnAnswer(message("an option is named twice in {got}", got=shown(raw)))
        return frozenset(words)

    def compare(self, answer: frozenset[str]) -> Judgement:
        right = frozenset(self.key or ())
        if answer == right:
            return RIGHT
        taken, extra, missing = len(answer & right), answer - right, len(right - answer)
        share = {
            "all": 0.0,
            "each": 1 - (len(extra) + missing) / len(self.options),
            "net": max(0.0, (taken - len(extra)) / len(right)),
        }[self.credit]
        said: list[Sayable] = []
        for name in sorted(extra):
            if feedback := self.options[name].feedback:
                said.append(message("({name}) {feedback}", name=name, feedback=feedback))
        if missing:
            said.append(message("right options that are missing: {n}", n=missing))
        return Judgement(share, tuple(said))

    def form(self) -> Form:
        accepts = message("all letters that are right, separated by commas; {rule}", rule=RULES[self.credit])
        return Form(accepts, "[" + ", ".join(list(self.options)[:2]) + "]", (offered(self.options),))

    def samples(self) -> Samples:
        if self.key is None:
            return Samples(())
        wrong = [[name] for name in self.options if (name,) != self.key]
        return Samples(
            (list(self.key), ", ".join(reversed(self.key))),
            tuple(wrong),
            ("", [], "no such option", [self.key[0], self.key[0]], 3.5, {self.key[0]: True}),
        )

    def without_key(self) -> Choices:
        return self.model_copy(update={"key": None, "options": keyless(self.options)})
