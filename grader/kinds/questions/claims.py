"""Questions that are answered by true or false, with a reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from grader.kinds.formula.spelling import plain
from grader.kinds.kind import Said
from grader.kinds.questions.asked import (
    QUESTIONS,
    RIGHT,
    Asked,
    Chosen,
    Form,
    Judgement,
    NotAnAnswer,
    Samples,
    offered,
)
from grader.kinds.questions.choosing import keyless, must_be_options
from grader.kinds.questions.reading import fields, read_word, shown, text_of
from grader.model import message

TRUE = frozenset(["true", "t", "yes", "y", "对", "真", "是", "正确", "√", "✓", "✔"])
FALSE = frozenset(["false", "f", "no", "n", "错", "假", "否", "不对", "错误", "不正确", "×", "✗", "✘"])


@dataclass(frozen=True)
class Claim:
    """Whether something is so, and the letter of the reason."""

    truth: bool
    reason: str | None


@QUESTIONS.word("true_false")
class TrueFalse(Asked):
    """True or false (`key`), and why (`reason` is the letter of the right one of `reasons`): half the points each.

    A reason counts only when the verdict is right. `feedback` is said when the verdict is wrong. Without `reasons` the verdict is all.
    """

    word: ClassVar[str] = "true_false"
    key_fields: ClassVar[tuple[str, ...]] = ("key", "reason", "feedback")
    key: bool | None = None
    feedback: Said | None = None
    reasons: Chosen | None = None
    reason: str | None = None

    @model_validator(mode="after")
    def _key_fits(self) -> TrueFalse:
        if self.key is None:
            return self
        if self.feedback is None:
            raise PydanticCustomError("option_feedback", "the wrong verdict needs feedback of its own")
        if (self.reasons is None) != (self.reason is None):
            raise PydanticCustomError("key_option", "reasons and reason belong together")
        if self.reasons and self.reason:
            must_be_options((self.reason,), self.reasons)
        return self

    def parse(self, raw: Any) -> Claim:
        if isinstance(raw, bool):
            raw = {"answer": raw}
        parts = fields(raw, ("answer", "reason"), _truth_and_reason)
        truth = _truth(parts.get("answer"))
        reason = parts.get("reason")
        if not self.reasons:
            if reason not in (None, ""):
                raise NotAnAnswer(message("this question asks for no reason"))
            return Claim(truth, None)
        if reason in (None, ""):
            raise NotAnAnswer(message("the reason is missing"))
        return Claim(truth, read_word(reason, self.reasons))

    def compare(self, answer: Claim) -> Judgement:
        if answer.truth != self.key:
            return Judgement(0.0, (self.feedback,) if self.feedback else ())
        if answer.reason == self.reason or not self.reasons or answer.reason is None:
            return RIGHT
        feedback = self.reasons[answer.reason].feedback or ""
        return Judgement(0.5, (message("the verdict is right, the reason is not: {feedback}", feedback=feedback),))

    def form(self) -> Form:
        if not self.reasons:
            return Form(message("true or false"), "true")
        accepts = message(
            "true or false, and the letter of the reason (half the points each; the reason counts with the right verdict)"
        )
        example = f"{{answer: true, reason: {next(iter(self.reasons))}}}"
        return Form(accepts, example, (offered(self.reasons, message("because")),))

    def samples(self) -> Samples:
        if self.key is None:
            return Samples(())
        word = {True: "true", False: "false"}
        malformed = ("", "maybe", {"answer": "maybe"}, {"anser": True}, 7, [True])
        if not self.reasons or self.reason is None:
            return Samples((self.key, word[self.key]), (not self.key,), malformed)
        wrong = [{"answer": self.key, "reason": name} for name in self.reasons if name != self.reason]
        return Samples(
            ({"answer": self.key, "reason": self.reason}, f"{word[self.key]} {self.reason}"),
            ({"answer": not self.key, "reason": self.reason}, *wrong),
            (*malformed, self.key, {"answer": self.key, "reason": "no such reason"}),
        )

    def without_key(self) -> Asked:
        bare = super().without_key()
        return bare.model_copy(update={"reasons": keyless(self.reasons)}) if self.reasons else bare


def _truth_and_reason(text: str) -> dict[str, Any]:
    words = plain(text).replace(",", " ").split(maxsplit=1)
    return {"answer": words[0] if words else "", "reason": words[1] if len(words) > 1 else None}


def _truth(raw: Any) -> bool:
    if isinstance(raw, bool):
        return raw
    word = text_of(raw).casefold() if isinstance(raw, str) else ""
    if word in TRUE:
        return True
    if word in FALSE:
        return False
    raise NotAnAnswer(message("expected true or false, got {got}", got=shown(raw) or "''"))
