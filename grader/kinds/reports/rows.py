"""A result in, tests as build servers count them out: one for each case or question, or one for a result that has none.

What JUnit, Gradescope and CTRF share. Every text is harmless already; each format escapes it once more in its own way.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from grader.kinds.reports.cases import UNJUDGED, against, by_case
from grader.kinds.reports.escape import line
from grader.kinds.reports.json import counted, plain_number
from grader.kinds.reports.view import (
    ResultView,
    SourceView,
    check_name,
    labelled,
    number,
    spoken,
    verdict_view,
)
from grader.model import Outcome, Result, Verdict

PASSED, FAILED, ERRORED, SKIPPED, WAITING, OURS = "passed", "failed", "errored", "skipped", "waiting", "ours"

ENDINGS = {
    Verdict.PASSED: PASSED,
    Verdict.FAILED: FAILED,
    Verdict.ERRORED: ERRORED,
    Verdict.TIMED_OUT: ERRORED,
    Verdict.OUT_OF_MEMORY: ERRORED,
    Verdict.CRASHED: ERRORED,
    Verdict.SKIPPED: SKIPPED,
    Verdict.NOT_JUDGED: WAITING,
    Verdict.NOT_SUBMITTED: FAILED,
    Verdict.GRADER_ERROR: OURS,
}


@dataclass(frozen=True)
class Row:
    """One test. `finding` is one line. The story of the result stands in the first row that counts against it."""

    name: str
    hidden: bool
    verdict: Verdict
    ending: str
    check: str  # the word of the check or question kind, "" for a whole result
    score: float
    max_score: float
    finding: str
    story: tuple[str, ...]


def rows(result: Result, shown: ResultView, lang: str) -> tuple[Row, ...]:
    """Return the tests of a result; their points add up to what the report counts. `shown` is the same result in `lang`."""
    outcomes = by_case(result.outcomes)
    if not outcomes or result.verdict is Verdict.GRADER_ERROR:
        return (_whole(result, shown),)
    wrong = sorted((o for o in outcomes if against(o)), key=lambda o: o.hidden)
    return tuple(_row(result, o, told(shown) if o in wrong[:1] else (), lang) for o in outcomes)


def _whole(result: Result, shown: ResultView) -> Row:
    ending = ENDINGS[result.verdict]
    return Row(
        name=line(result.slug),
        hidden=False,
        verdict=result.verdict,
        ending=ending,
        check="",
        score=result.score,
        max_score=result.max_score,
        finding=shown.headline,
        story=() if ending == PASSED else told(shown),
    )


def _row(result: Result, outcome: Outcome, story: tuple[str, ...], lang: str) -> Row:
    unjudged = outcome.verdict in UNJUDGED
    ending = ENDINGS[outcome.verdict]
    if ending == SKIPPED and result.kind == "quiz" and outcome.max_points > 0:
        ending = FAILED  # not answered: nothing stood in the way, and it costs points
    return Row(
        name=line(outcome.case),
        hidden=outcome.hidden,
        verdict=outcome.verdict,
        ending=ending,
        check=line(outcome.check),
        score=0.0 if unjudged else outcome.points,
        max_score=0.0 if unjudged else outcome.max_points,
        finding=_finding(result, outcome, lang),
        story=story,
    )


def _finding(result: Result, outcome: Outcome, lang: str) -> str:
    said = spoken(outcome.message, lang)
    if outcome.verdict is Verdict.PASSED:
        return said if result.kind == "quiz" else ""
    failed = outcome.verdict is Verdict.FAILED
    if failed and result.kind == "quiz" and said:
        return said
    name = check_name(outcome.check, lang) if failed else verdict_view(outcome.verdict, lang).name
    return labelled(name, said, lang)


def told(shown: ResultView) -> tuple[str, ...]:
    """Return what a result says in lines: the sentence that matters, the learner's lines, facts, and the next step."""
    facts = (*shown.details, *((shown.tally,) if shown.tally else ()), *shown.also, *shown.remarks)
    step = (f"→ {shown.next_step}",) if shown.next_step else ()
    return (*((shown.headline,) if shown.headline else ()), *code(shown.source), *facts, *step)


def code(source: tuple[SourceView, ...]) -> tuple[str, ...]:
    """Return the learner's own lines with their numbers, and a caret under the place that is meant."""
    edge = max((len(str(seen.number)) for seen in source), default=0)
    found = []
    for seen in source:
        found.append(f"{seen.number:>{edge}} | {seen.code}")
        if seen.caret is not None:
            found.append(f"{'':>{edge}} | {' ' * seen.caret}^")
    return tuple(found)


def place(result: Result) -> int | None:
    """Return the line of the file that a result is about: where it raised, else where the function is defined.

    None for a notebook, whose lines count inside a cell.
    """
    return None if result.cells else counted(result.source[-1][0] if result.source else result.line)


def exact(value: float, most: float = inf) -> int | float:
    """Return points as a machine reads them: the number that people see, less than `most` never rounded up to it."""
    return plain_number(float(number(value, most)))
