"""Plan, observations, expectations and outcomes in, diagnoses out: the known mistake that gives exactly these outputs.

A name is given only when it matches every call and the right answer does not. Mistakes that match together are one function
on these inputs, and are named together. Where no single mistake fits, pairs are tried; then exceptions are looked up by what they say.
A finding about how a module behaves or is made names its mistake by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from grader.model import (
    Diagnosis,
    Expectations,
    Mistake,
    Observations,
    Outcome,
    Plan,
    Trace,
    Verdict,
)
from grader.stages.plan import call_id
from grader.stages.traces import Looked, look, matches

RIGHT: tuple[str, ...] = ()
_TELLING = (Verdict.PASSED, Verdict.ERRORED)


def diagnose(
    plan: Plan,
    observations: Observations,
    expectations: Expectations,
    mistakes: Mapping[str, Mistake],
    outcomes: Iterable[Outcome] = (),
    pairs: Callable[[], Mapping[tuple[str, ...], Mapping[str, Trace]]] = dict,
) -> tuple[Diagnosis, ...]:
    """Return what is known of this answer: nothing when it is right, was cut short, or fits no known mistake.

    `pairs` gives the traces of pairs of mistakes; it is asked only where no single one fits.
    """
    if observations.verdict is not Verdict.PASSED:
        return ()
    calls = _telling_calls(plan, observations)
    found: tuple[Diagnosis, ...] = ()
    if calls and not _fits(expectations.traces[RIGHT], calls):
        found = (
            _by_value(plan, calls, expectations.traces, mistakes)
            or _by_value(plan, calls, pairs(), mistakes)
            or _in_lower_precision(plan, calls, expectations, mistakes)
            or _by_error(plan, observations, mistakes)
        )
    named = {name for diagnosis in found for name in diagnosis.mistakes}
    claimed = dict.fromkeys(name for outcome in outcomes for name in outcome.mistakes if name in mistakes)
    return (*found, *(_diagnosis([mistakes[name]], 1, 1, by="check") for name in claimed if name not in named))


def _diagnosis(told: list[Mistake], matched: int, of: int, *, same: bool = False, by: str = "value") -> Diagnosis:
    return Diagnosis(
        tuple(m.id for m in told),
        tuple(dict.fromkeys(code for m in told for code in m.codes)),
        matched,
        of,
        tuple(m.says for m in told),
        tuple(m.asks for m in told),
        same=same,
        by=by,
    )


def _by_value(
    plan: Plan,
    calls: list[Looked],
    known: Mapping[tuple[str, ...], Mapping[str, Trace]],
    mistakes: Mapping[str, Mistake],
    loose: bool = False,
) -> tuple[Diagnosis, ...]:
    """Name what fits every one of these calls: the mistakes that are one function here, or one pair of mistakes."""
    found = [ids for ids, traces in known.items() if ids != RIGHT and calls and _fits(traces, calls, loose)]
    told = [ids for ids in found if all(name in mistakes for name in ids)]
    if not told:
        return ()
    if len(told[0]) > 1:  # pairs that are one function: the first in the catalogue's order is told
        return (_diagnosis([mistakes[name] for name in told[0]], len(plan.cases), len(plan.cases)),)
    return (_diagnosis([mistakes[ids[0]] for ids in told], len(plan.cases), len(plan.cases), same=len(told) > 1),)


def _in_lower_precision(
    plan: Plan, calls: list[Looked], expectations: Expectations, mistakes: Mapping[str, Mistake]
) -> tuple[Diagnosis, ...]:
    """Name the mistake of a function that computes in float32 whatever it is given, as with `torch.tensor(d_k, dtype=torch.float32)`."""
    if _fits(expectations.traces[RIGHT], calls, loose=True):
        return ()
    return _by_value(plan, calls, expectations.traces, mistakes, loose=True)


def _by_error(plan: Plan, observations: Observations, mistakes: Mapping[str, Mistake]) -> tuple[Diagnosis, ...]:
    """Name a mistake by its exception, where every open call that failed raised one that it is known for."""
    asked = [drawn.case for drawn in plan.cases if not drawn.case.hidden and drawn.case.raises is None]
    seen = [observations.calls.get(call_id(case.name, "graded")) for case in asked]
    raised = [o.fault for o in seen if o is not None and o.verdict is Verdict.ERRORED and o.fault is not None]
    wrong = [fault for fault in raised if fault.text]
    if not wrong or len(wrong) != len(raised):
        return ()
    told = [
        mistake
        for mistake in mistakes.values()
        if mistake.error is not None
        and all(mistake.error[0] in (f.type, *f.bases) and re.search(mistake.error[1], f.text) for f in wrong)
    ]
    return tuple(_diagnosis([mistake], len(wrong), len(wrong), by="error") for mistake in told[:1])


def _telling_calls(plan: Plan, observations: Observations) -> list[Looked]:
    """The graded and float64 calls by case.

    Empty when one of them did not end by itself: half a picture names nothing.
    """
    calls = []
    for drawn in plan.cases:
        for purpose in ("graded", "diagnosis"):
            observation = observations.calls.get(call_id(drawn.case.name, purpose))
            if observation is None and purpose == "diagnosis":
                continue
            if observation is None or observation.verdict not in _TELLING:
                return []
            if (
                purpose == "diagnosis"
                and observation.verdict is Verdict.ERRORED
                and _graded_passed(observations, drawn.case.name)
            ):
                continue  # a function that only takes float32: its float64 call tells nothing
            calls.append(look(observation))
    return calls


def _graded_passed(observations: Observations, case: str) -> bool:
    graded = observations.calls.get(call_id(case, "graded"))
    return graded is not None and graded.verdict is Verdict.PASSED


def _fits(traces: Mapping[str, Trace], calls: list[Looked], loose: bool = False) -> bool:
    return all(
        seen.observation.call in traces and matches(traces[seen.observation.call], seen, loose=loose) for seen in calls
    )
