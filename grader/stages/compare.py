"""Plan, observations and expectations in, outcomes out: each check of each case, judged by comparing values.

The points of a case lie on the outcome that decided it. Nothing of a hidden case but its name and the rung that failed
is said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from grader.kinds.checks import Ask, CheckKind, Extra, Finding, Seen
from grader.model import (
    DrawnCase,
    Exercise,
    Expectations,
    Message,
    Observation,
    Observations,
    Outcome,
    Panel,
    Plan,
    Value,
    Verdict,
    message,
)
from grader.stages.panels import panels
from grader.stages.plan import call_id, checks_of
from grader.stages.results import named_results

BESIDE = message("the right exception, but it counts only once half of the cases with a result pass")

NO_EXCEPTION = ("signature", "state", "not_module", "earlier")
"""Faults without an exception of the learner's: they are told by what they are, not by what was raised."""


def compare(plan: Plan, observations: Observations, expectations: Expectations) -> tuple[Outcome, ...]:
    """Return one outcome for each check of each case, in the order of the exercise file."""
    checks = _ladder(plan)
    outcomes = [_case(plan, drawn, checks, observations, expectations) for drawn in plan.cases]
    weights = sum((*(drawn.case.weight for drawn in plan.cases), *plan.exercise.elsewhere))
    # Raising is easy: exceptions earn their points only beside right results, so that a stub, or one case by heart, does not.
    results = [_passed(case) for drawn, case in zip(plan.cases, outcomes, strict=True) if drawn.case.raises is None]
    enough = 2 * sum(results) >= len(results)
    scored: list[Outcome] = []
    for drawn, case in zip(plan.cases, outcomes, strict=True):
        points = plan.exercise.points * drawn.case.weight / weights if weights else 0.0
        earns = drawn.case.raises is None or enough
        scored += _with_points(case, points, earns)
    return tuple(scored)


def _passed(case: list[Outcome]) -> bool:
    return all(outcome.verdict is Verdict.PASSED or outcome.remark for outcome in case)


def _with_points(case: list[Outcome], points: float, earns: bool) -> list[Outcome]:
    """Lay the points of a case on the outcome that decided it:

    the first that failed, else `values`, else the last one scored.
    """
    decisive = [i for i, o in enumerate(case) if not o.remark]
    failed = [i for i in decisive if case[i].verdict is not Verdict.PASSED]
    if failed:
        at, got = failed[0], 0.0
    else:
        at = next((i for i in decisive if case[i].check == "values"), decisive[-1])
        got = points if earns else 0.0
    case = list(case)
    case[at] = replace(case[at], points=got, max_points=points)
    if not failed and not earns:
        case[at] = replace(case[at], verdict=Verdict.FAILED, message=None if case[at].hidden else BESIDE)
    return case


def _case(
    plan: Plan, drawn: DrawnCase, checks: list[CheckKind], observations: Observations, expectations: Expectations
) -> list[Outcome]:
    """The outcomes of one case: the first rung that fails speaks, scored rungs after it are skipped."""
    graded = observations.calls.get(call_id(drawn.case.name, "graded"))
    spoke, found = _contract(plan, drawn, observations, graded)
    outcomes = [_outcome(drawn, "contract", spoke)]
    if drawn.case.raises is not None:
        return outcomes
    seen = None if spoke else _seen(plan, drawn, observations, expectations, graded, found)
    for check in checks:
        asks = plan.asks.get((drawn.case.name, check.word))
        if asks is None:
            continue
        if seen is None:
            if not check.remark:
                outcomes.append(_outcome(drawn, check.word, Finding(Message(""), Verdict.SKIPPED)))
            continue
        finding = _judge(check, asks, seen, observations)
        outcomes.append(_outcome(drawn, check.word, finding, check.remark, panels(seen, finding)))
        if finding and not check.remark:
            seen = None
    return outcomes


def _ladder(plan: Plan) -> list[CheckKind]:
    return sorted(checks_of(plan.exercise), key=lambda check: check.rung)


def _outcome(
    drawn: DrawnCase, check: str, finding: Finding | None, remark: bool = False, pictures: tuple[Panel, ...] = ()
) -> Outcome:
    hidden = drawn.case.hidden
    verdict = finding.verdict if finding else Verdict.PASSED
    said = finding.message if finding and not hidden and finding.message != Message("") else None
    return Outcome(
        drawn.case.name,
        check,
        verdict,
        hidden,
        message=said,
        remark=remark,
        panels=() if hidden else pictures,
        mistakes=finding.mistakes if finding else (),
        says=drawn.case.says,
    )


def _contract(
    plan: Plan, drawn: DrawnCase, observations: Observations, graded: Observation | None
) -> tuple[Finding | None, Mapping[str, Value]]:
    """Judge whether the call came back with the right kind of results (or raised what the case asks for)."""
    if observations.verdict is not Verdict.PASSED:
        return Finding(Message(""), observations.verdict), {}
    if graded is None:
        return Finding(message("not reached"), Verdict.SKIPPED), {}
    wanted = drawn.case.raises
    if wanted is not None:
        return _raised(wanted, graded), {}
    if graded.verdict is not Verdict.PASSED:
        return Finding(_fault_message(graded), graded.verdict), {}
    found = named_results(plan.exercise, graded.value)
    return (Finding(found), {}) if isinstance(found, Message) else (None, found)


def _fault_message(observation: Observation) -> Message:
    fault = observation.fault
    if fault is None or fault.kind in NO_EXCEPTION:
        return Message("")
    return (
        message("{type}: {text}", type=fault.type, text=fault.text)
        if fault.text
        else message("{type}", type=fault.type)
    )


def _raised(wanted: str, graded: Observation) -> Finding | None:
    fault = graded.fault
    if graded.verdict is Verdict.PASSED:
        return Finding(message("no exception was raised, expected {expected}", expected=wanted))
    if graded.verdict is not Verdict.ERRORED or fault is None or fault.kind in NO_EXCEPTION:
        return Finding(Message(""), graded.verdict)
    if wanted in (fault.type, *fault.bases):
        return None
    return Finding(message("raised {got}, expected {expected}", got=fault.type, expected=wanted), Verdict.ERRORED)


def _seen(
    plan: Plan, drawn: DrawnCase, observations: Observations, expectations: Expectations, graded: Observation | None,
    results: Mapping[str, Value],
) -> Seen:  # fmt: skip
    case = drawn.case.name
    expected = named_results(plan.exercise, expectations.right[case])
    if isinstance(expected, Message) or graded is None:
        raise ValueError(f"the reference breaks the contract in case {case!r}: {expected}")
    gradients = expectations.gradients.get(case, {})
    return Seen(plan.exercise, drawn, graded, results, expected, gradients=gradients, device=plan.device)


def _judge(check: CheckKind, asks: Mapping[str, Ask], seen: Seen, observations: Observations) -> Finding | None:
    """Give the check its further calls and ask it. A call that did not come back is for the check to judge."""
    extra: dict[str, Extra] = {}
    for variant, ask in asks.items():
        observation = observations.calls.get(call_id(seen.case.case.name, check.word, variant))
        if observation is None:
            return Finding(message("not reached"), Verdict.SKIPPED)
        extra[variant] = observation if ask.gradients_of else _results_or(observation, seen.exercise, ask.repeat)
    return check.judge(replace(seen, extra=extra) if extra else seen)


def _results_or(observation: Observation, exercise: Exercise, repeat: int) -> Extra:
    """The named results of a further call, one set a repetition; the observation itself where they are not whole."""
    if observation.verdict is not Verdict.PASSED:
        return observation
    values = observation.value if repeat > 1 else [observation.value]
    if not isinstance(values, list) or len(values) != repeat:
        return observation
    found = [named_results(exercise, value) for value in values]
    whole = [results for results in found if not isinstance(results, Message)]
    if len(whole) != repeat:
        return observation
    return list(whole) if repeat > 1 else whole[0]
