"""The data of an exercise file in, the same without what its hidden cases alone use out: cases, axes, inputs, names."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from grader.kinds.axes import is_sized
from grader.kinds.inputs import InputKind
from grader.model import Exercise

PLACES = ("inputs", "call", "build", "state")
"""Where an exercise says how arguments are drawn; a case replaces those of `call` under `inputs`."""


def open_data(data: Mapping[str, Any], exercise: Exercise) -> dict[str, Any]:
    """Return the data with its open cases alone; `exercise` is the file as it was read, with any of its cases."""
    cases = [case for case in data["cases"] if not case.get("hidden")]
    hidden = {_name(case) for case in data["cases"] if case.get("hidden")}
    found = {**data, "returns": _returns(data["returns"], exercise), "cases": cases}
    for place in PLACES:
        if isinstance(data.get(place), Mapping):
            kinds = _kinds(exercise, place)
            found[place] = {name: _input(place, name, given, cases, kinds[name]) for name, given in data[place].items()}
    found["checks"] = [_check(check, hidden) for check in data["checks"]]
    return found


def _name(case: Mapping[str, Any]) -> Any:
    return case["name"]["en"] if isinstance(case["name"], Mapping) else case["name"]


def _returns(returns: Any, exercise: Exercise) -> Any:
    """A result loses an axis that only hidden cases have."""
    given = [case.sizes for case in exercise.cases]

    def here(result: Any) -> Any:
        if not isinstance(result, list):
            return result
        return [axis for axis in result if any(is_sized(axis, dict.fromkeys(sizes, 1)) for sizes in given)]

    return {name: here(part) for name, part in returns.items()} if isinstance(returns, Mapping) else here(returns)


def _kinds(exercise: Exercise, place: str) -> Mapping[str, Any]:
    if place in ("inputs", "call"):
        return exercise.inputs
    made = exercise.builds
    return {} if made is None else made.build if place == "build" else made.state


def _input(place: str, name: str, given: Any, cases: Collection[Mapping[str, Any]], kind: Any) -> Any:
    """Return how an argument is drawn: as it stands where an open case draws it so, or as the first of them that replaces it.

    One that every open case omits keeps its axes and nothing else.
    """
    replaced = [(case.get("inputs" if place == "call" else place) or {}).get(name) for case in cases]
    omitted = [place != "state" and name in (case.get("omit") or ()) for case in cases]
    if any(one is None and not left for one, left in zip(replaced, omitted, strict=True)):
        return given
    first = next((one for one in replaced if one is not None), None)
    if first is not None:
        return first
    axes = kind.shape_axes if isinstance(kind, InputKind) else ()
    return {"normal": list(axes)} if axes else {"value": None}


def _check(check: Any, hidden: Collection[str]) -> Any:
    """A check that passes over some cases names no hidden one."""
    if not isinstance(check, Mapping):
        return check
    ((word, options),) = check.items()
    if not isinstance(options, Mapping) or not isinstance(options.get("not_in"), list):
        return check
    left = {**options, "not_in": [name for name in options["not_in"] if name not in hidden]}
    if not left["not_in"]:
        del left["not_in"]
    return {word: left} if left else word
