"""Questions that are answered in the learner's own words: read by a person, never by the machine."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from grader.kinds.kind import Said
from grader.kinds.questions.asked import QUESTIONS, Asked, Form, Judgement, NotAnAnswer, Samples, Several
from grader.kinds.questions.reading import shown
from grader.model import Sayable, message

MAX_CHARACTERS = 4000


@QUESTIONS.word("text")
class FreeText(Asked):
    """An answer in one's own words, which no machine marks: it waits for a person.

    `rubric` lists what a good answer says, `model_answer` is one; both are shown once something was answered.
    """

    word: ClassVar[str] = "text"
    key_fields: ClassVar[tuple[str, ...]] = ("rubric", "model_answer")
    rubric: Several[Said] = ()
    model_answer: Said | None = None
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
        """Return that a person must read it, and what a good answer says."""
        said: list[Sayable] = []
        if self.model_answer is not None:
            said.append(message("Compare with: {model}", model=self.model_answer))
        said += [message("({n}) {point}", n=number, point=point) for number, point in enumerate(self.rubric, 1)]
        return Judgement(0.0, tuple(said), judged=False)

    def compare(self, answer: str) -> Judgement:
        return self.judge(answer)

    def form(self) -> Form:
        return Form(message("a few sentences in your own words; a person reads them"), '"…"')

    def samples(self) -> Samples:
        return Samples((), (), ("", "  ", 3, ["a"], None, "x" * (self.max_characters + 1)))
