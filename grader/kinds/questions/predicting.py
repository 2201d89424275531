"""Questions that are answered by what a piece of code returns: a shape, values, or an error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from grader.kinds.formula.spelling import plain
from grader.kinds.kind import Kind, Said
from grader.kinds.questions.asked import (
    QUESTIONS,
    RIGHT,
    Asked,
    CallReference,
    Form,
    Judgement,
    Samples,
    Several,
    numbered,
)
from grader.kinds.questions.reading import Grid, shown
from grader.kinds.questions.shapes import Shape
from grader.kinds.questions.tables import Numbers
from grader.model import LANGUAGES, Message, message

ERROR = re.compile(
    r"(?:raises?\s+|抛出\s*)?(?:an?\s+)?([A-Z]\w{0,40}Error|error|exception|报错|错误|出错|异常)", re.IGNORECASE
)
NAMELESS = frozenset(["error", "exception", "报错", "错误", "出错", "异常"])


class TypicalReturn(Kind):
    """A wrong prediction, and what to say to it: a shape or values, or `error` as text."""

    value: Several[Any] | Literal["error"]
    feedback: Said


@dataclass(frozen=True)
class Raises:
    """The prediction that the code raises an exception, of this class where one was named."""

    name: str = ""


@QUESTIONS.word("predict")
class Predict(Asked):
    """What `code` returns: its last line is an expression. `asks` says whether the answer is its shape or its values.

    `key` lists the axes or the numbers (right within `tolerance`); where the code raises instead, `error` is the class of the exception.
    Naming another class earns half. `author verify` runs the code and holds the key against it.
    """

    word: ClassVar[str] = "predict"
    key_fields: ClassVar[tuple[str, ...]] = ("key", "error", "typical")
    code: str = Field(min_length=1, max_length=2000)
    asks: Literal["shape", "values"]
    key: Several[Any] | None = None
    error: str | None = Field(default=None, pattern=r"^[A-Z]\w*Error$")
    tolerance: float = Field(default=0.001, ge=0)
    typical: Several[TypicalReturn] = ()

    @model_validator(mode="after")
    def _key_fits(self) -> Predict:
        if self.key is not None and self.error is not None:
            raise PydanticCustomError("key_option", "code returns (key) or raises (error): not both")
        return self

    @property
    def has_key(self) -> bool:
        return self.key is not None or self.error is not None

    def _returned(self) -> Shape | Numbers:
        """Return the question about what comes back, without its wrong answers."""
        key = list(self.key) if self.key is not None else None
        if self.asks == "shape":
            return Shape.model_validate({"key": key}, strict=False)
        return Numbers.model_validate({"key": key, "tolerance": self.tolerance}, strict=False)

    def parse(self, raw: Any) -> Raises | Grid | tuple[str, ...]:
        if isinstance(raw, str) and (found := ERROR.fullmatch(plain(raw).strip().strip("().`'\""))):
            return Raises("" if found.group(1).casefold() in NAMELESS else found.group(1))
        answer: Grid | tuple[str, ...] = self._returned().parse(raw)
        return answer

    def compare(self, answer: Raises | Grid | tuple[str, ...]) -> Judgement:
        share = 0.0
        if self.error is not None and isinstance(answer, Raises):
            if answer.name.casefold() in ("", self.error.casefold()):
                return RIGHT
            said = message("it does raise, but {expected} and not {got}", got=answer.name, expected=self.error)
            return Judgement(0.5, (said,))
        if self.error is None and not isinstance(answer, Raises):
            judgement = self._returned().compare(answer)  # type: ignore[arg-type]
            if judgement.right:
                return judgement
            share, otherwise = judgement.fraction, judgement.feedback
        elif isinstance(answer, Raises):
            otherwise = (message("every line of it runs"),)
        else:
            otherwise = (message("one of its lines cannot run as it stands: follow the shapes"),)
        typical = next((each for each in self.typical if self._is(answer, each.value)), None)
        return Judgement(share, (typical.feedback,) if typical else otherwise)

    def _is(self, answer: Raises | Grid | tuple[str, ...], value: Any) -> bool:
        """Whether an answer is this wrong prediction."""
        if isinstance(answer, Raises) or value == "error":
            return isinstance(answer, Raises) and value == "error"
        return self.model_copy(update={"key": tuple(value), "error": None, "typical": ()}).compare(answer).right

    def form(self) -> Form:
        listing = numbered(dict.fromkeys(LANGUAGES, self.code))
        if self.asks == "shape":
            return Form(
                message("the shape that comes back, or `error` where a line raises"), "(2, 5, 3)", listing=listing
            )
        accepts = message(
            "the numbers that come back, exact to ±{most}, or `error` where a line raises", most=f"{self.tolerance:g}"
        )
        return Form(accepts, "[0.25, -2]", listing=listing)

    def samples(self) -> Samples:
        typical = tuple(each.value if each.value == "error" else list(each.value) for each in self.typical)
        if self.error is not None:
            return Samples(
                ("error", f"raises {self.error}", "报错"), (*typical, "NoSuchError"), ("", "a lot", None, {"a": 1})
            )
        if self.key is None:
            return Samples(())
        returned = self._returned().samples()
        return Samples(returned.right, ("error", *typical, *returned.wrong), ("", "a lot of it", None, {"a": 1}))

    def key_problems(self, call: CallReference) -> list[Message]:
        found = [each.value for each in self.typical]
        return [
            message("the typical value {value} is the key or another one", value=shown(value))
            for at, value in enumerate(found)
            if (value == "error" and self.error is not None)
            or (self.key is not None and value != "error" and self._is(self.parse(list(value)), self.key))
            or value in found[:at]
        ]
