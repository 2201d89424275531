"""How the numbers of a question vary in, values of one draw out; and a question's plain data with those values filled in."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from grader.kinds.kind import Kind
from grader.kinds.questions.asked import Several
from grader.locale import languages
from grader.model import LANGUAGES

if TYPE_CHECKING:
    import numpy as np

DRAWS = 20
"""How many draws of a question that varies are frozen beside its quiz."""

ATTEMPTS = 200  # until values differ that have to
PLACE = re.compile(r"\{([A-Za-z_]\w*)\}")
Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]


class Drawn(Kind):
    """One value: `one_of` a list, a `whole` number of a range, or computed `of` others.

    With a `shape` it is an array of whole numbers; each is divided by `over`.
    """

    one_of: Several[int | float | str] | None = Field(default=None, min_length=2, max_length=64)
    whole: Several[int] | None = Field(default=None, min_length=2, max_length=2)
    shape: Several[Annotated[int, Field(ge=1, le=16)]] = Field(default=(), max_length=2)
    over: Annotated[int, Field(ge=1, le=1000)] = 1
    of: str | None = Field(default=None, max_length=200)
    repeats: bool = Field(default=False, description="whether numbers of an array may be equal")

    @model_validator(mode="after")
    def _one_way(self) -> Drawn:
        if sum(way is not None for way in (self.one_of, self.whole, self.of)) != 1:
            raise PydanticCustomError("draw_way", "a value is drawn in one way: one_of, whole or of")
        if self.whole and self.whole[1] - self.whole[0] < self._count:
            raise PydanticCustomError("draw_way", "the range has fewer numbers than are drawn")
        return self

    @property
    def _count(self) -> int:
        count = 1
        for size in self.shape:
            count *= size
        return count

    def draw(self, values: Mapping[str, Any], rng: np.random.Generator) -> Any:
        """Return the value; `values` are those drawn before it."""
        if self.of is not None:
            from grader.kinds.questions.reading import read_number

            return _plain(read_number(filled(self.of, values)))
        if self.one_of is not None:
            return self.one_of[int(rng.integers(len(self.one_of)))]
        low, high = self.whole or (0, 0)
        drawn = low + rng.choice(high - low + 1, size=self.shape or (1,), replace=self.repeats)
        nested = (
            [_plain(x / self.over) for x in drawn]
            if len(self.shape) < 2
            else [[_plain(x / self.over) for x in row] for row in drawn]
        )
        return nested if self.shape else nested[0]


class Varies(Kind):
    """How a question varies: `values` by name, used as `{name}` in its texts and fields; `{key}` is the answer in its explanation.

    Values in a list of `different` are never equal. The numbers of the key have a size between `least` and `most` and lie `apart`: no
    saturated softmax and no ties.
    """

    values: dict[Name, Drawn] = Field(min_length=1, max_length=12)
    different: Several[Several[str]] = ()
    least: float = Field(default=0.0, ge=0)
    most: float = Field(default=1e12, gt=0)
    apart: float = Field(default=0.0, ge=0)

    def draw(self, rng: np.random.Generator) -> dict[str, Any] | None:
        """Return a value for each name, None where no values could be found that differ as they have to."""
        for _ in range(ATTEMPTS):
            values: dict[str, Any] = {}
            for name, drawn in self.values.items():
                values[name] = drawn.draw(values, rng)
            if all(len({str(values[name]) for name in names}) == len(names) for names in self.different):
                return values
        return None

    def fair(self, numbers: list[float]) -> bool:
        """Whether a key of these numbers is as hard as was stated: none too small, too large, or too close to another one."""
        ordered = sorted(numbers)
        close = any(b - a < self.apart for a, b in pairwise(ordered))
        return not close and all(self.least <= abs(number) <= self.most for number in numbers)

    def digest(self) -> str:
        """Return a short name for these ranges: frozen draws of others do not belong to the question."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]


def _plain(number: Any) -> int | float:
    value = float(number)
    return int(value) if value.is_integer() else value


def filled(raw: Any, values: Mapping[str, Any]) -> Any:
    """Return plain data of a question with `{name}` replaced by the value, wherever the name is one of `values`.

    A field that is nothing but `{name}` becomes the value itself; within a text it is written out, minus signs and all.
    """
    if isinstance(raw, Mapping):
        if set(LANGUAGES) <= set(raw) <= set(languages()):
            return {lang: _written_in(text, values, minus="−") for lang, text in raw.items()}
        return {key: filled(part, values) for key, part in raw.items()}
    if isinstance(raw, (list, tuple)):
        return [filled(part, values) for part in raw]
    if not isinstance(raw, str):
        return raw
    whole = PLACE.fullmatch(raw)
    return values[whole[1]] if whole and whole[1] in values else _written_in(raw, values, minus="-")


def _written_in(text: str, values: Mapping[str, Any], minus: str) -> str:
    return PLACE.sub(lambda place: written(values[place[1]], minus) if place[1] in values else place[0], text)


def written(value: Any, minus: str = "−") -> str:
    """Return a value as a text shows it: `0.25`, `(1, −2)`, `((1, 2), (3, 4))`."""
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join(written(part, minus) for part in value) + ")"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return (str(value) if isinstance(value, int) else f"{value:.10g}").replace("-", minus)


def stored(draws: Mapping[str, Any]) -> str:
    """Return the text of a file of frozen draws."""
    lines = [f"  {json.dumps(name)}: {json.dumps(draw, ensure_ascii=False)}" for name, draw in draws.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"
