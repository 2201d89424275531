"""Questions that are answered in the learner's own words: read by a person, never by the machine."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from grader.kinds.kind import Kind, Said
from grader.kinds.questions.asked import QUESTIONS, Asked, CallReference, Form, Judgement, NotAnAnswer, Samples, Several
from grader.kinds.questions.contradiction import asserted
from grader.kinds.questions.reading import shown
from grader.model import Message, Sayable, message

MAX_CHARACTERS = 4000


class Flag(Kind):
    """Something that an answer should not assert (`says`, phrases; `…` is a few words), or not together with `against`; what to ask then.

    It is a hint for the learner and a mark for the person who reads the answer. It never decides about points.
    """

    says: Several[str] = Field(min_length=1, max_length=40)
    against: Several[str] = Field(default=(), max_length=40)
    feedback: Said


@QUESTIONS.word("text")
class FreeText(Asked):
    """An answer in one's own words, which no machine marks: it waits for a person.

    `rubric` lists what a good answer says, `model_answer` is one; both are shown once something was answered. `flags` point out what an
    answer asserts and should not, or asserts against itself.
    """

    word: ClassVar[str] = "text"
    key_fields: ClassVar[tuple[str, ...]] = ("rubric", "model_answer", "flags")
    rubric: Several[Said] = ()
    model_answer: Said | None = None
    flags: Several[Flag] = ()
    max_characters: int = Field(default=MAX_CHARACTERS, ge=1, le=MAX_CHARACTERS)

    @property
    def has_key(self) -> bool:
        return self.model_answer is not None

    def parse(self, raw: Any) -> str:
        if not isinstance(raw, str) or not raw.strip():
            raise NotAnAnswer(message("expected a text, got {got}", got=shown(raw) or "''"))
        if len(raw) > self.max_characters:
            raise NotAnAnswer(
                message("the text has {length} characters; at most {most}", length=len(raw), most=self.max_characters)
            )
        return raw.strip()

    def judge(self, answer: str) -> Judgement:
        """Return that a person must read it, what in it speaks against itself, and what a good answer says."""
        flags = tuple(flag.feedback for flag in self.flags if _raised(flag, answer))
        said: list[Sayable] = [message("Look again: {flag}", flag=flag) for flag in flags]
        if self.model_answer is not None:
            said.append(message("Compare with: {model}", model=self.model_answer))
        said += [message("({n}) {point}", n=number, point=point) for number, point in enumerate(self.rubric, 1)]
        return Judgement(0.0, tuple(said), judged=False, flags=flags)

    def compare(self, answer: str) -> Judgement:
        return self.judge(answer)

    def form(self) -> Form:
        return Form(message("a few sentences in your own words; a person reads them"), '"…"')

    def samples(self) -> Samples:
        return Samples((), (), ("", "  ", 3, ["a"], None, "x" * (self.max_characters + 1)))

    def key_problems(self, call: CallReference) -> list[Message]:
        """The model answer and the rubric must raise no flag themselves, in no language."""
        good = [self.model_answer, *self.rubric]
        return [
            message("the flag {flag} is raised by the model answer or the rubric", flag=flag.feedback)
            for flag in self.flags
            if any(_raised(flag, text) for said in good if said is not None for text in said.values())
        ]


def _raised(flag: Flag, answer: str) -> bool:
    return asserted(answer, flag.says) is not None and (not flag.against or asserted(answer, flag.against) is not None)
