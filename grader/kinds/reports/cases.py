"""The outcomes of one exercise or quiz in, what people count out: one outcome a case, points, and nothing that was hidden."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import fsum

from grader.model import Message, Outcome, Report, Verdict, message

UNJUDGED = (Verdict.NOT_JUDGED, Verdict.GRADER_ERROR)  # leave both the score and the maximum


def redacted(outcome: Outcome) -> Outcome:
    """Return the outcome with nothing but name, check, verdict and points when it is hidden."""
    told = outcome.message is not None or outcome.panels or outcome.flags
    return replace(outcome, message=None, panels=(), flags=()) if outcome.hidden and told else outcome


def without_hidden_values(report: Report) -> Report:
    """Return the report as any format may show it: every format starts here, whatever the stages before it did."""
    results = (replace(r, outcomes=tuple(redacted(o) for o in r.outcomes)) for r in report.results)
    return replace(report, results=tuple(results))


def against(outcome: Outcome) -> bool:
    """Whether the outcome speaks against its case. A skipped one does so only where it holds the case's points: it was never reached."""
    if outcome.verdict is Verdict.SKIPPED:
        return outcome.max_points > 0
    return outcome.verdict not in (Verdict.PASSED, *UNJUDGED)


def totals(outcomes: Iterable[Outcome]) -> tuple[float, float]:
    """Return (score, maximum) over the outcomes that were judged."""
    judged = [o for o in outcomes if o.verdict not in UNJUDGED]
    return fsum(o.points for o in judged), fsum(o.max_points for o in judged)


def by_case(outcomes: Iterable[Outcome]) -> tuple[Outcome, ...]:
    """Return one outcome for each case in order: the one that decided it, with all points of the case."""
    cases: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if not outcome.remark:
            cases.setdefault(outcome.case, []).append(outcome)
    return tuple(_decided(rungs) for rungs in cases.values())


def _decided(rungs: list[Outcome]) -> Outcome:
    spoke = [o for o in rungs if against(o) or o.verdict in UNJUDGED]
    passed = [o for o in rungs if o.verdict is Verdict.PASSED]
    chosen = (spoke or sorted(passed, key=lambda o: -o.max_points) or rungs)[0]
    points, most = fsum(o.points for o in rungs), fsum(o.max_points for o in rungs)
    if (points, most) == (chosen.points, chosen.max_points):
        return chosen
    return replace(chosen, points=points, max_points=most)


def counts(outcomes: Iterable[Outcome], *, hidden: bool) -> tuple[int, int]:
    """Return (passed, judged) over the open cases, or over the hidden ones."""
    judged = [o for o in by_case(outcomes) if o.hidden is hidden and (o.verdict is Verdict.PASSED or against(o))]
    return sum(o.verdict is Verdict.PASSED for o in judged), len(judged)


def tally(outcomes: Iterable[Outcome]) -> Message | None:
    """Say how many cases pass; None where none was judged."""
    outcomes = tuple(outcomes)
    (seen, visible), (held, hidden) = counts(outcomes, hidden=False), counts(outcomes, hidden=True)
    if not visible + hidden:
        return None
    if not hidden:
        return message("{seen} of {visible} cases pass.", seen=seen, visible=visible)
    return message(
        "{seen} of {visible} visible cases pass, and {held} of {hidden} hidden ones.",
        seen=seen,
        visible=visible,
        held=held,
        hidden=hidden,
    )
