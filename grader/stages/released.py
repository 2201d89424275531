"""A learner's copy of a course in, the expectations that were frozen into it out: there is no reference beside them.

Beside the expectations of each exercise lies an index: the seed that the open cases were drawn from, a summary of what was drawn, and the
weights of the hidden cases, which only the judge has.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.model import Device, Expectations, GraderError, Message, Plan, Tensor, Trace, Value

FOLDER = "expectations"
INDEX = f"{FOLDER}/index.json"
FORMAT = 1
CLOSE = 1e-6
"""By how much the sums of drawn numbers may differ from machine to machine, relative to their size."""


@dataclass(frozen=True)
class Frozen:
    """What a learner's copy was made with. `elsewhere` and `drawn` are by exercise."""

    seed: int
    elsewhere: Mapping[str, tuple[float, ...]]
    drawn: Mapping[str, Any]

    def text(self) -> str:
        """Return the index file."""
        data = {"format": FORMAT, "seed": self.seed, "elsewhere": self.elsewhere, "drawn": self.drawn}
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n"


def frozen_of(root: Path) -> Frozen | None:
    """Return what a learner's copy was made with, None for any other course; raise GraderError where it cannot be read."""
    from grader.stages.frozen_shape import IndexFile, read_as

    try:
        data = (root / INDEX).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable() from error
    try:
        index = read_as(IndexFile, data)
    except ValueError as error:
        raise _unreadable() from error
    elsewhere = {slug: tuple(weights) for slug, weights in index.elsewhere.items()}
    return Frozen(index.seed, elsewhere, index.model_dump(mode="json")["drawn"])


def _unreadable() -> GraderError:
    return GraderError(f"{INDEX} of the course cannot be read: install the release again")


def thawed(plan: Plan, root: Path, frozen: Frozen) -> Expectations:
    """Return the frozen expectations of the cases in a plan; raise GraderError where they are missing or belong to other inputs."""
    from grader.stages.frozen import thaw

    must_fit(plan, frozen)
    known = thaw(_read(root, f"{plan.exercise.slug}.expect"))
    if known is None or not _fits(plan, known):
        raise _broken(plan.exercise.slug)
    return known


def must_fit(plan: Plan, frozen: Frozen) -> None:
    """Raise GraderError where what a plan has drawn is not what a copy of the course was made with."""
    slug = plan.exercise.slug
    if plan.seed != frozen.seed:
        raise GraderError(f"this copy of the course has the answers for seed {frozen.seed} only")
    if not _alike(inputs_of(plan), frozen.drawn.get(slug)):
        raise GraderError(
            f"{slug}: the inputs drawn here are not those that this copy of the course was made with. Get the current one, "
            "or another version of numpy"
        )


def thawed_pairs(plan: Plan, root: Path) -> dict[tuple[str, ...], Mapping[str, Trace]]:
    """Return the frozen traces of pairs of mistakes; raise GraderError where they are missing or not whole."""
    from grader.stages.frozen_pairs import thaw_pairs

    pairs = thaw_pairs(_read(root, f"{plan.exercise.slug}.pairs"))
    if pairs is None or not all(traces.keys() == _traced(plan) for traces in pairs.values()):
        raise _broken(plan.exercise.slug)
    return pairs


def _fits(plan: Plan, known: Expectations) -> bool:
    """Whether expectations say of each case of a plan what is asked of it, and nothing of any other."""
    from grader.stages.plan import call_id
    from grader.stages.results import named_results
    from grader.stages.traces import trace

    exercise = plan.exercise
    asked = {call.case: set(call.gradients_of) for call in plan.calls if call.gradients_of}
    return (
        known.right.keys() == {drawn.case.name for drawn in plan.cases if drawn.case.raises is None}
        and not any(isinstance(named_results(exercise, value), Message) for value in known.right.values())
        and {case: set(by_name) for case, by_name in known.gradients.items()} == asked
        and () in known.traces
        and all(traces.keys() == _traced(plan) for traces in known.traces.values())
        and all(
            known.traces[()][call_id(case, "diagnosis")].form == trace(value).form
            for case, value in known.right.items()
        )
        and known.examples.keys() <= known.traces.keys() - {()}
        and all(
            named.keys() <= exercise.returns.keys() for e in known.examples.values() for named in (e.got, e.expected)
        )
    )


def _traced(plan: Plan) -> set[str]:
    """The calls that a mistake is traced through."""
    from grader.stages.plan import call_id

    return {call_id(drawn.case.name, purpose) for drawn in plan.cases for purpose in ("diagnosis", "graded")}


def _read(root: Path, name: str) -> bytes:
    try:
        return (root / FOLDER / name).read_bytes()
    except OSError:
        return b""  # not whole


def _broken(slug: str) -> GraderError:
    return GraderError(f"{slug}: its frozen expectations are missing or damaged: install the release again")


def inputs_of(plan: Plan) -> dict[str, dict[str, Any]]:
    """Summarise what was drawn, by case and argument: enough to see that it is the same, whatever the last digit."""
    found = {}
    for drawn in plan.cases:
        given: dict[str, Value] = dict(drawn.arguments)
        if drawn.built is not None:
            given |= {f"build.{name}": value for name, value in drawn.built.arguments.items()}
            given |= {f"state.{name}": value for name, value in drawn.built.state.items()}
        found[drawn.case.name] = {n: _summary(v) for n, v in given.items() if not isinstance(v, Device)}
    return found


def _summary(value: Value) -> Any:
    if not isinstance(value, Tensor):
        return repr(value)
    import numpy as np

    numbers = np.asarray(value.array, dtype=np.float64).reshape(-1)
    numbers = np.where(np.isfinite(numbers), numbers, 7.0)
    places = np.arange(1, len(numbers) + 1) / max(1, len(numbers))
    return [value.dtype, list(value.shape), float(np.abs(numbers).sum()), float((numbers * places).sum())]


def _alike(here: Mapping[str, Any], there: Any) -> bool:
    if not isinstance(there, Mapping) or here.keys() != there.keys():
        return False
    return all(
        arguments.keys() == there[case].keys()
        and all(_same(summary, there[case][name]) for name, summary in arguments.items())
        for case, arguments in here.items()
    )


def _same(here: Any, there: Any) -> bool:
    if not isinstance(here, list) or not isinstance(there, list):
        return bool(here == there)
    near = CLOSE * (1 + here[2])
    return here[:2] == there[:2] and all(
        math.isclose(a, b, abs_tol=near) for a, b in zip(here[2:], there[2:], strict=True)
    )
