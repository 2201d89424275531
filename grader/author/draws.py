"""A question that varies in, its draws out: values from a seed, the key and typical wrong answers computed by the reference."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from grader.kinds.drawn import DRAWS, Varies, filled, stored
from grader.kinds.questions import QUESTIONS, Asked, CallReference, NoSuchCall, NotAnAnswer, check_key
from grader.kinds.questions.computed import ComputedBy, grid_of
from grader.kinds.questions.grids import nested
from grader.kinds.questions.reading import read_grid, read_number
from grader.locale import say
from grader.model import GraderError
from grader.stages.spec.models import QuestionFile
from grader.stages.spec.quiz import COMMON
from grader.stages.spec.reader import read_yaml
from grader.stages.spec.text import check_file_name, read_text
from grader.stages.spec.variants import Draw, with_draw

ATTEMPTS = 100
"""How often values are drawn anew until a draw is fair."""
PLACES = 6
"""Decimals that a computed number is kept with."""


class Unfair(Exception):
    """A draw that may not be used; the text says why."""


@dataclass(frozen=True)
class Template:
    """A question that varies, as plain data: its quiz, its id, and its ranges."""

    quiz: str
    id: str
    raw: Mapping[str, Any]
    varies: Varies

    def draw(self, number: int, call: CallReference) -> tuple[Draw, int]:
        """Return draw `number` and how many attempts it took; raise GraderError where none is fair."""
        why = ""
        for attempt in range(ATTEMPTS):
            seed = [zlib.crc32(self.quiz.encode()), zlib.crc32(self.id.encode()), number, attempt]
            values = self.varies.draw(np.random.default_rng(seed))
            if values is None:
                raise GraderError(f"{self.quiz}, {self.id}: no values differ as they have to")
            try:
                draw = self._computed(values, call)
                self._fair(draw, call)
            except Unfair as unfair:
                why = str(unfair)
                continue
            return draw, attempt + 1
        raise GraderError(f"{self.quiz}, {self.id}: no fair draw in {ATTEMPTS} attempts; the last one: {why}")

    def spec(self, draw: Draw) -> Asked:
        """Return the question kind with a draw filled in; raise Unfair where that makes no question."""
        data = {name: part for name, part in with_draw(self.raw, draw).items() if name not in COMMON}
        try:
            return QUESTIONS.find(self.raw["kind"]).model_validate(data, strict=False)
        except ValidationError as error:
            raise Unfair(error.errors()[0]["msg"]) from error

    def _computed(self, values: Mapping[str, Any], call: CallReference) -> dict[str, Any]:
        """Return the draw with its key, and the typical answers that are left to the reference."""
        data = filled(self.raw, values)
        source = ComputedBy.model_validate(data["computed_by"], strict=False) if "computed_by" in data else None
        try:
            key = data["key"] if "key" in data else _called(source, call, None)
            typical = {
                str(at): _number(_called(source, call, each["mistake"]), self.raw["kind"])
                for at, each in enumerate(data.get("typical", ()))
                if "value" not in each
            }
            return {"values": dict(values), "key": _number(key, self.raw["kind"]), "typical": typical}
        except (NoSuchCall, NotAnAnswer) as error:
            raise Unfair(say(error.why, "en")) from error

    def _fair(self, draw: Draw, call: CallReference) -> None:
        """Raise Unfair for a key outside the stated difficulty, and for wrong answers that equal it or one another."""
        if self.raw["kind"] != "shape":
            grid = read_grid(draw["key"] if isinstance(draw["key"], list) else [draw["key"]])
            if not self.varies.fair([cell or 0.0 for cell in grid.cells]):
                raise Unfair(f"the key {draw['key']} is outside the stated difficulty")
        for problem in check_key(self.spec(draw), call):
            raise Unfair(say(problem, "en"))


def _called(source: ComputedBy | None, call: CallReference, mistake: str | None) -> Any:
    if source is None:
        raise GraderError("a question that varies needs a key or computed_by")
    return source.call(call, mistake=mistake)


def _number(value: Any, kind: str) -> Any:
    """Return a key as it is kept: a number, or a list of numbers or of axes."""
    if kind == "shape":
        return [int(axis) if str(axis).isdigit() else str(axis) for axis in value]
    if kind == "number":
        number = read_number(value) if isinstance(value, str) else float(np.asarray(value))
        return _kept(number)
    if isinstance(value, list):
        grid = read_grid(value)
        return nested([_kept(cell or 0.0) for cell in grid.cells], grid.shape)
    grid = grid_of(value)
    return nested([_kept(cell or 0.0) for cell in grid.cells], grid.shape)


def _kept(number: float) -> int | float:
    if not math.isfinite(number):
        raise Unfair("the reference gives no finite number")
    return int(number) if float(number).is_integer() else round(number, PLACES)


def templates(path: Path) -> Iterator[Template]:
    """Yield the questions of a quiz file that vary; raise AuthorError where it is no YAML mapping."""
    slug = check_file_name(path)
    source = read_yaml(read_text(path, str(path)), str(path))
    for raw in source.at(("questions",)) or ():
        if isinstance(raw, dict) and "varies" in raw:
            common = QuestionFile.model_validate({**raw, "prompt": raw["prompt"]}, strict=False)
            if common.varies is not None:
                yield Template(str(slug), common.id, raw, common.varies)


def freeze(path: Path, call: CallReference) -> str | None:
    """Return the text of the file of draws that belongs beside a quiz file, None where nothing in it varies."""
    found = {
        template.id: {
            "of": template.varies.digest(),
            "draws": [template.draw(number, call)[0] for number in range(DRAWS)],
        }
        for template in templates(path)
    }
    return stored(found) if found else None
