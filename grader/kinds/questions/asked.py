"""What every question kind can do: read an answer, judge it, show its form, and bring samples that test it."""

from __future__ import annotations

import abc
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Protocol, TypeVar

from pydantic import BeforeValidator, Field

from grader.kinds import Vocabulary
from grader.kinds.kind import Kind, Said
from grader.model import LANGUAGES, Message, Sayable, Text, message

T = TypeVar("T")
Several = Annotated[tuple[T, ...], Field(strict=False)]
"""A YAML list, kept as a tuple."""


def _for_all_languages(text: Any) -> Any:
    return dict.fromkeys(LANGUAGES, text) if isinstance(text, str) else text


Label = Annotated[Said, BeforeValidator(_for_all_languages)]
"""A text by language, or one string that is the same in all of them (a formula, a number)."""


class CallReference(Protocol):
    """Calls a function of the reference, right or with a mistake, with numbers, tuples or numpy arrays; results come back as numpy."""

    def __call__(self, function: str, arguments: Mapping[str, Any], mistake: str | None = None) -> Any:
        """Return what the function gives; raise `NoSuchCall` where the reference cannot tell."""
        ...


class NoSuchCall(Exception):
    """The reference has no such function or mistake, or it refuses these arguments; `why` says which."""

    def __init__(self, why: Message):
        super().__init__(why.template)
        self.why = why


class NotAnAnswer(Exception):
    """What was written is no answer of this kind at all: not the same as a wrong one, and no try is used up."""

    def __init__(self, why: Message):
        super().__init__(why.template)
        self.why = why


@dataclass(frozen=True)
class Judgement:
    """What an answer is worth: a fraction of the points (0 to 1), and what to say. Not `judged`: it waits for a person or a key.

    `flags` say what the person who reads it should look at first; they are no verdict.
    """

    fraction: float
    feedback: tuple[Sayable, ...] = ()
    judged: bool = True
    flags: tuple[Sayable, ...] = ()

    @property
    def right(self) -> bool:
        """Whether the answer is right in full."""
        return self.judged and self.fraction >= 1.0


RIGHT = Judgement(1.0)


@dataclass(frozen=True)
class Samples:
    """Raw answers by what becomes of them: every question of a course is tested with them."""

    right: tuple[Any, ...]
    wrong: tuple[Any, ...] = ()
    malformed: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Options:
    """Things to choose from, each with the word that chooses it."""

    items: tuple[tuple[str, Sayable], ...]
    heading: Message | None = None


@dataclass(frozen=True)
class Form:
    """What the asker shows: how an answer is written, an example of one, what there is to choose from, and numbered lines to look at."""

    accepts: Message
    example: str
    options: tuple[Options, ...] = ()
    listing: Text | None = None


def numbered(code: Text) -> Text:
    """Return a listing with its lines numbered from 1, in each language."""
    return {
        lang: "\n".join(f"{number:>3}  {line}" for number, line in enumerate(lines_of(text), 1))
        for lang, text in code.items()
    }


def lines_of(text: str) -> list[str]:
    """Return the lines of a listing."""
    return text.rstrip("\n").split("\n")


class Option(Kind):
    """One option. `feedback` is said when it was chosen wrongly."""

    text: Label
    feedback: Said | None = None


def offered(options: Mapping[str, Option], heading: Message | None = None) -> Options:
    """Return what the asker shows of some options."""
    return Options(tuple((name, option.text) for name, option in options.items()), heading)


Chosen = Annotated[dict[str, Option], Field(min_length=2, max_length=12)]


class Asked(Kind, abc.ABC):
    """A question kind: its fields are the YAML keys of a question beside the common ones.

    `key_fields` name what tells the answer; a learner's copy of a graded quiz comes without them, and is then not judged.
    """

    word: ClassVar[str]
    key_fields: ClassVar[tuple[str, ...]] = ("key",)

    @property
    def has_key(self) -> bool:
        """Whether an answer can be judged here."""
        return getattr(self, "key", None) is not None

    @abc.abstractmethod
    def parse(self, raw: Any) -> Any:
        """Return the answer that a learner's plain data (or one typed line) means; raise NotAnAnswer."""

    def judge(self, answer: Any) -> Judgement:
        """Return what an answer that `parse` returned is worth."""
        if not self.has_key:
            why = message("this copy of the quiz holds no key: it is judged where the key is")
            return Judgement(0.0, (why,), judged=False)
        return self.compare(answer)

    @abc.abstractmethod
    def compare(self, answer: Any) -> Judgement:
        """Return what an answer is worth, the key being here."""

    @abc.abstractmethod
    def form(self) -> Form:
        """Return what the answer sheet and the terminal show."""

    @abc.abstractmethod
    def samples(self) -> Samples:
        """Return raw answers that must be right, wrong and malformed; empty without a key."""

    def without_key(self) -> Asked:
        """Return the question as a learner may have it when the quiz is graded."""
        fields = type(self).model_fields
        return self.model_copy(
            update={name: fields[name].get_default(call_default_factory=True) for name in self.key_fields}
        )

    def key_problems(self, call: CallReference) -> list[Message]:
        """Return what is wrong with the key: against the reference, or against the question's own other fields."""
        return []


QUESTIONS: Vocabulary[type[Asked]] = Vocabulary()


def check_key(spec: Asked, call: CallReference) -> list[Message]:
    """Return all that is wrong with a question: its key against the reference, its samples against itself.

    `call` reaches the reference: arguments by name as numbers, tuples or numpy arrays, results as numpy.
    """
    if not spec.has_key:
        return []
    try:
        problems = spec.key_problems(call)
    except NoSuchCall as error:
        return [error.why]
    if problems:
        return problems  # the samples are made from the key
    samples = spec.samples()
    for raw in samples.right:
        problems += _judged_wrongly(spec, raw, right=True)
    for raw in samples.wrong:
        problems += _judged_wrongly(spec, raw, right=False)
    form = spec.form()
    if not form.options and _judged_right(spec, form.example.strip("'")):
        problems.append(message("the example {example} is the answer", example=form.example))
    return problems + [
        message("{raw} is accepted as an answer, but should not be", raw=repr(raw))
        for raw in samples.malformed
        if _readable(spec, raw)
    ]


def _judged_wrongly(spec: Asked, raw: Any, *, right: bool) -> list[Message]:
    try:
        judgement = spec.judge(spec.parse(raw))
    except NotAnAnswer as error:
        return [message("{raw} is not read as an answer: {why}", raw=repr(raw), why=error.why)]
    if judgement.right is right:
        return (
            []
            if right or judgement.feedback
            else [message("{raw} is wrong, but nothing is said about it", raw=repr(raw))]
        )
    if right:
        return [message("{raw} should be right, but is judged as wrong", raw=repr(raw))]
    return [message("{raw} should be wrong, but is judged as right", raw=repr(raw))]


def _judged_right(spec: Asked, raw: Any) -> bool:
    return _readable(spec, raw) and spec.judge(spec.parse(raw)).right


def _readable(spec: Asked, raw: Any) -> bool:
    try:
        spec.parse(raw)
    except NotAnAnswer:
        return False
    return True
