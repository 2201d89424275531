"""An exercise's workbench in, the mistakes that it could promise to catch besides out: those that show, and would be named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from grader.model import Message, Trace
from grader.stages.traces import same

if TYPE_CHECKING:
    from grader.author.verify import Workbench

Caught = Callable[["Workbench", str, tuple[str, ...]], Message | None]


def unpromised(bench: Workbench, caught: Caught) -> list[tuple[str, ...]]:
    """Return groups of mistakes (of one function each) that could stand in `catches` as they are; `caught` proves a promise."""
    promised = {name for group in bench.exercise.catches for name in group}
    traces = bench.expectations.traces
    known = [traces[ids] for ids in traces if not ids or ids[0] in promised]
    groups: dict[str, list[str]] = {}
    for (name,) in (ids for ids in traces if ids and ids[0] not in promised):
        if name not in bench.mistakes or any(_alike(traces[name,], other) for other in known):
            continue
        first = next((first for first in groups if _alike(traces[name,], traces[first,])), name)
        groups.setdefault(first, []).append(name)
    tried = tuple(tuple(group) for group in groups.values())
    wider = replace(bench.exercise, catches=(*bench.exercise.catches, *tried))
    widened = replace(bench, exercise=wider, plan=replace(bench.plan, exercise=wider))
    return [group for group in tried if all(caught(widened, name, group) is None for name in group)]


def _alike(one: Mapping[str, Trace], other: Mapping[str, Trace]) -> bool:
    return all(same(other[call], one[call]) for call in one)


def listed(groups: list[tuple[str, ...]]) -> str:
    """Return groups as they stand in `catches`."""
    return ", ".join(group[0] if len(group) == 1 else f"[{', '.join(group)}]" for group in groups)
