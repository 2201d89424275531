"""Plan, observations and expectations in, diagnoses out: the known mistake that gives exactly these outputs.

A name is given only when it matches every call and the right answer does not. Mistakes that match together are one
function on these inputs, and are named together.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.model import Diagnosis, Expectations, Mistake, Observation, Observations, Plan, Trace, Verdict
from grader.stages.plan import call_id
from grader.stages.traces import matches

RIGHT: tuple[str, ...] = ()
_TELLING = (Verdict.PASSED, Verdict.ERRORED)


def diagnose(
    plan: Plan,
    observations: Observations,
    expectations: Expectations,
    mistakes: Mapping[str, Mistake],
) -> tuple[Diagnosis, ...]:
    """Return at most one diagnosis; none when the answer is right, was cut short, or fits no known mistake."""
    if observations.verdict is not Verdict.PASSED:
        return ()
    calls = _telling_calls(plan, observations)
    if not calls or _fits(expectations.traces[RIGHT], calls):
        return ()
    found = [ids for ids, traces in expectations.traces.items() if ids != RIGHT and _fits(traces, calls)]
    fewest = min((len(ids) for ids in found), default=0)
    names = tuple(mistake for ids in found if len(ids) == fewest for mistake in ids if mistake in mistakes)
    if not names:
        return ()
    told = [mistakes[name] for name in dict.fromkeys(names)]
    return (
        Diagnosis(
            tuple(m.id for m in told),
            tuple(dict.fromkeys(code for m in told for code in m.codes)),
            len(plan.cases),
            len(plan.cases),
            tuple(m.says for m in told),
            tuple(m.asks for m in told),
            same=fewest == 1 and len(told) > 1,
        ),
    )


def _telling_calls(plan: Plan, observations: Observations) -> list[Observation]:
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
            calls.append(observation)
    return calls


def _graded_passed(observations: Observations, case: str) -> bool:
    graded = observations.calls.get(call_id(case, "graded"))
    return graded is not None and graded.verdict is Verdict.PASSED


def _fits(traces: Mapping[str, Trace], calls: list[Observation]) -> bool:
    return all(seen.call in traces and matches(traces[seen.call], seen) for seen in calls)
