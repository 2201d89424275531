"""Two mistakes at once: what every pair gives in two scout cases in, traces of the pairs that an answer may be out.

Running every pair through every case would take long. Two cases, the scouts, are run for all of them (and kept); only the pairs
that give what was observed there are run through the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

from grader.model import DrawnCase, Expectations, Observations, Plan, Trace
from grader.stages.compute import Reference, mistaken
from grader.stages.plan import call_id
from grader.stages.traces import look, matches, same

RIGHT: tuple[str, ...] = ()
MOST = 100
"""Pairs that are followed up at most."""
MOST_SINGLES = 90
"""Different single mistakes up to which pairs are tried. A whole layer has more: thousands of pairs, each of them a slow run,
would keep a learner waiting for a minute."""

Pair = tuple[str, ...]


def scouts(plan: Plan, expectations: Expectations) -> tuple[str, ...]:
    """Return the open case that tells the most mistakes apart in float64, and the best one with other arguments than it."""
    telling = [d for d in plan.cases if not d.case.hidden and d.case.raises is None and d.axes]
    ranked = sorted(telling, key=lambda drawn: -_told_apart(drawn, expectations))
    if not ranked:
        return ()
    others = [d for d in ranked[1:] if d.arguments.keys() != ranked[0].arguments.keys()] or ranked[1:]
    return tuple(drawn.case.name for drawn in (ranked[0], *others[:1]))


def _told_apart(drawn: DrawnCase, expectations: Expectations) -> int:
    call = call_id(drawn.case.name, "diagnosis")
    known = (traces[call] for traces in expectations.traces.values())
    return len({(trace.form, trace.projections, trace.holes, trace.error) for trace in known})


def scout_pairs(
    plan: Plan, reference: Reference, expectations: Expectations, cases: tuple[str, ...]
) -> dict[Pair, dict[str, Trace]]:
    """Trace every pair of mistakes in different steps through the scout cases, in float64."""
    function = reference.functions[plan.exercise.reference]
    only = replace(plan, cases=tuple(drawn for drawn in plan.cases if drawn.case.name in cases))
    traced = {
        pair: mistaken(function, only, reference, _steps(reference, pair), precisions=("float64",))
        for pair in single_pairs(reference, expectations)
    }
    return {pair: traces for pair, traces in traced.items() if traces is not None}


def follow_up(
    plan: Plan, reference: Reference, scouted: Mapping[Pair, Mapping[str, Trace]], observations: Observations
) -> dict[Pair, Mapping[str, Trace]]:
    """Trace the pairs that fit what was observed in the scout cases through all cases."""
    function = reference.functions[plan.exercise.reference]
    traced = {
        pair: mistaken(function, plan, reference, _steps(reference, pair))
        for pair in fitting(scouted, observations)[:MOST]
    }
    return {pair: traces for pair, traces in traced.items() if traces is not None}


def all_pairs(plan: Plan, reference: Reference, expectations: Expectations) -> dict[Pair, Mapping[str, Trace]]:
    """Trace every pair of mistakes through all cases: for where there is no reference to follow a pair up.

    What gives exactly the same as a single mistake, the right answer or an earlier pair is left out: it would never be named.
    """
    if not scouts(plan, expectations):
        return {}  # the judge would try none either
    function = reference.functions[plan.exercise.reference]
    seen = {_told(traces) for traces in expectations.traces.values()}
    found: dict[Pair, Mapping[str, Trace]] = {}
    for pair in single_pairs(reference, expectations):
        traces = mistaken(function, plan, reference, _steps(reference, pair))
        if traces is not None and (told := _told(traces)) not in seen:
            seen.add(told)
            found[pair] = traces
    return found


def _told(traces: Mapping[str, Trace]) -> tuple[object, ...]:
    return tuple((call, trace.form, trace.projections, trace.holes, trace.error) for call, trace in traces.items())


def fitting(scouted: Mapping[Pair, Mapping[str, Trace]], observations: Observations) -> list[Pair]:
    """Return the pairs that fit every observed scout call."""
    asked = {call for traces in scouted.values() for call in traces}
    seen = {call: look(observations.calls[call]) for call in asked if call in observations.calls}
    return [
        pair
        for pair, traces in scouted.items()
        if all(call in seen and matches(trace, seen[call]) for call, trace in traces.items())
    ]


def single_pairs(reference: Reference, expectations: Expectations) -> Iterator[Pair]:
    """Pairs of mistakes that show in this exercise, one for each function, where they replace different steps.

    None where there are too many of them to try.
    """
    seen: list[Mapping[str, Trace]] = [expectations.traces[RIGHT]]
    names = []
    for ids, traces in expectations.traces.items():
        if len(ids) == 1 and not any(all(same(known[c], traces[c]) for c in traces) for known in seen):
            seen.append(traces)
            names.append(ids[0])
    for one, other in combinations(names if len(names) <= MOST_SINGLES else (), 2):
        if not reference.mistakes[one].keys() & reference.mistakes[other].keys():
            yield one, other


def _steps(reference: Reference, pair: Pair) -> Any:
    return replace(reference.steps, **{step: f for name in pair for step, f in reference.mistakes[name].items()})
