"""A question that varies in, its frozen draws filled in out: values lie beside the quiz, in `NN_slug.draws.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grader.kinds.drawn import DRAWS, Varies, filled, written
from grader.model import message
from grader.stages.spec.source import Problem, Source, Where

LARGEST = 2_000_000  # bytes of a file of draws

Draw = Mapping[str, Any]
"""`values` by name, the computed `key` if there is one, and computed `typical` values by their place in the list."""


def draws_file(path: Path) -> Path:
    """Return where the draws of a quiz file lie."""
    return path.with_name(f"{path.stem}.draws.json")


def read_draws(path: Path) -> Mapping[str, Any]:
    """Return the frozen draws beside a quiz by question id; what cannot be read counts as not there."""
    file = draws_file(path)
    try:
        text = file.read_text(encoding="utf-8") if file.stat().st_size <= LARGEST else ""
        found = json.loads(text)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def keyless(draws: Mapping[str, Any]) -> dict[str, Any]:
    """Return the draws of a graded quiz as a learner may have them: values, without keys and wrong answers."""
    return {
        name: {**found, "draws": [{"values": draw.get("values", {})} for draw in found.get("draws", ())]}
        for name, found in draws.items()
    }


def frozen(source: Source, path: Where, varies: Varies, draws: Mapping[str, Any]) -> tuple[Draw, ...] | list[Problem]:
    """Return the draws of the question at `path`, or the problem that they are missing or belong to other ranges."""
    found = draws.get(str(source.at((*path, "id"))))
    if not isinstance(found, dict) or found.get("of") != varies.digest():
        what = message("its draws are not frozen: grader author freeze {file}", file=source.file)
        return [source.problem((*path, "varies"), what, key=True)]
    listed = found.get("draws")
    if not isinstance(listed, list) or len(listed) < DRAWS or not all(isinstance(draw, dict) for draw in listed):
        what = message("expected {n} frozen draws: grader author freeze {file}", n=DRAWS, file=source.file)
        return [source.problem((*path, "varies"), what, key=True)]
    return tuple(listed)


def with_draw(raw: Mapping[str, Any], draw: Draw) -> dict[str, Any]:
    """Return the plain data of a question with one draw filled in, without `varies`."""
    values = dict(draw.get("values", {}))
    if "key" in draw:
        values["key"] = written(_short(draw["key"]))
    data: dict[str, Any] = filled({name: part for name, part in raw.items() if name != "varies"}, values)
    if "key" in draw:
        data["key"] = draw["key"]
    computed = draw.get("typical", {})
    for at, typical in _typical(data):
        if str(at) in computed:
            typical["value"] = computed[str(at)]
    return data


def _short(key: Any) -> Any:
    """Return a key as an explanation shows it: to four decimals."""
    if isinstance(key, list):
        return [_short(part) for part in key]
    return round(key, 4) if isinstance(key, float) else key


def _typical(data: Mapping[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    listed = data.get("typical")
    for at, typical in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(typical, dict):
            yield at, typical
