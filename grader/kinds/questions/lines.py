"""Questions that are answered by a line of a listing: which one is wrong, and why."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from grader.kinds.formula.spelling import plain
from grader.kinds.kind import Kind, Said
from grader.kinds.questions.asked import (
    QUESTIONS,
    RIGHT,
    Asked,
    Chosen,
    Form,
    Judgement,
    Label,
    NotAnAnswer,
    Samples,
    Several,
    lines_of,
    numbered,
    offered,
)
from grader.kinds.questions.choosing import keyless, must_be_options
from grader.kinds.questions.reading import fields, read_word, shown
from grader.model import message


class TypicalLine(Kind):
    """A line that looks wrong and is not, and what to say to it."""

    value: int = Field(ge=1)
    feedback: Said


@dataclass(frozen=True)
class Found:
    """The number of a line, and the letter of the reason."""

    line: int
    reason: str | None


@QUESTIONS.word("line")
class Line(Asked):
    """Which line of `code` is wrong (`key`, counted from 1), and why (`reason` is the letter of the right one of `reasons`).

    Half the points are for the line; the reason counts only with the right line. `typical` says why other lines are right. A listing with
    words in it has one text a language, line for line the same.
    """

    word: ClassVar[str] = "line"
    key_fields: ClassVar[tuple[str, ...]] = ("key", "reason", "typical")
    code: Label
    key: int | None = Field(default=None, ge=1)
    reasons: Chosen | None = None
    reason: str | None = None
    typical: Several[TypicalLine] = ()

    @property
    def _count(self) -> int:
        return len(lines_of(next(iter(self.code.values()))))

    @model_validator(mode="after")
    def _key_fits(self) -> Line:
        if len({len(lines_of(text)) for text in self.code.values()}) > 1:
            raise PydanticCustomError("key_option", "the code has as many lines in each language")
        for number in (*([self.key] if self.key else []), *(typical.value for typical in self.typical)):
            if number > self._count:
                raise PydanticCustomError("key_option", "the code has no line {line}", {"line": number})
        if self.key is not None and (self.reasons is None) != (self.reason is None):
            raise PydanticCustomError("key_option", "reasons and reason belong together")
        if self.reasons and self.reason:
            must_be_options((self.reason,), self.reasons)
        return self

    def parse(self, raw: Any) -> Found:
        parts = fields(raw, ("line", "reason"), _line_and_reason)
        number = self._number(parts.get("line"))
        reason = parts.get("reason")
        if not self.reasons:
            if reason not in (None, ""):
                raise NotAnAnswer(message("this question asks for no reason"))
            return Found(number, None)
        if reason in (None, ""):
            raise NotAnAnswer(message("the reason is missing"))
        return Found(number, read_word(reason, self.reasons))

    def _number(self, raw: Any) -> int:
        text = plain(shown(raw)).strip()
        if isinstance(raw, bool) or not re.fullmatch(r"\d{1,4}", text) or not 1 <= int(text) <= self._count:
            raise NotAnAnswer(
                message("expected the number of a line, 1 to {last}; got {got}", last=self._count, got=shown(raw))
            )
        return int(text)

    def compare(self, answer: Found) -> Judgement:
        if answer.line != self.key:
            said = next((t.feedback for t in self.typical if t.value == answer.line), None)
            return Judgement(0.0, (said or message("line {line} is right as it stands", line=answer.line),))
        if answer.reason == self.reason or not self.reasons or answer.reason is None:
            return RIGHT
        feedback = self.reasons[answer.reason].feedback or ""
        return Judgement(0.5, (message("the line is right, the reason is not: {feedback}", feedback=feedback),))

    def form(self) -> Form:
        listing = numbered(self.code)
        if not self.reasons:
            return Form(message("the number of the line"), "1", listing=listing)
        accepts = message(
            "the number of the line, and the letter of the reason (half the points each; the reason counts with the right line)"
        )
        example = f"{{line: 1, reason: {next(iter(self.reasons))}}}"
        return Form(accepts, example, (offered(self.reasons, message("because")),), listing)

    def samples(self) -> Samples:
        if self.key is None:
            return Samples(())
        ending = f" {self.reason}" if self.reason else ""
        wrong_lines = [f"{n}{ending}" for n in range(1, self._count + 1) if n != self.key]
        wrong_reasons = [f"{self.key} {name}" for name in self.reasons or {} if name != self.reason]
        malformed = ("", "a", 0, f"{self._count + 1}{ending}", {"lin": 1}, 2.5, True, None)
        return Samples((f"{self.key}{ending}",), (*wrong_lines, *wrong_reasons), malformed)

    def without_key(self) -> Asked:
        bare = super().without_key()
        return bare.model_copy(update={"reasons": keyless(self.reasons)}) if self.reasons else bare


def _line_and_reason(text: str) -> dict[str, Any]:
    words = re.split(r"[\s,;]+", plain(text).strip(), maxsplit=1)
    return {"line": words[0], "reason": words[1] if len(words) > 1 else None}
