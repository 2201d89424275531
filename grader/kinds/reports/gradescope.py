"""The report as Gradescope's `results.json`: one test a case or question, and no score at the top, which would override their sum.

Gradescope shows learners what is visible and instructors everything. Hidden cases are shown when grades are published, and until
then no visible text speaks of how they ended; since a test that is not visible also hides the total, the first lines give the
points of what is visible. There is no status for what was skipped or went wrong, so all that did not pass is `failed` and says
why. When the grader itself is at fault, its exit code 3 tells the script around it to leave no file at all: an error of the
autograder, not a grade.
"""

from __future__ import annotations

from dataclasses import replace
from math import fsum
from typing import Any

from grader.kinds.reports.cases import against, by_case, totals, without_hidden_values
from grader.kinds.reports.escape import line
from grader.kinds.reports.json import dumped, plain_number
from grader.kinds.reports.rows import PASSED, WAITING, Row, rows
from grader.kinds.reports.style import REPORTS, ReportStyle
from grader.kinds.reports.view import ReportView, ResultView, labelled, number, report_view
from grader.locale import say
from grader.model import Message, Report, Result, Verdict, message

SHOWN, HELD = "visible", "after_published"
ROOMS = (16_000, 4_000, 1_000, 250, 60)  # characters of one output: the most with which the whole file is small enough
BYTES = 950_000

Tests = list[tuple[ResultView, str, Row]]


@REPORTS.word("gradescope")
def render(report: Report, style: ReportStyle) -> str:
    """For Gradescope: `results.json`. Hidden cases are shown when grades are published."""
    report, lang = without_hidden_values(report), style.lang
    seen = _visible(report)
    view = report_view(seen, lang)
    pairs = list(zip(report.results, view.results, strict=True))
    tests: Tests = [
        (shown, f"{i}.{j}", row)
        for i, (result, shown) in enumerate(pairs, 1)
        for j, row in enumerate(rows(result, shown, lang), 1)
    ]
    overview = _overview(report, seen, view)
    for room in ROOMS:
        file = _file(report, overview, tests, room, lang)
        if len(file.encode()) <= BYTES:
            break
    return file


def _file(report: Report, overview: list[str], tests: Tests, room: int, lang: str) -> str:
    return dumped(
        {
            "output": _cut(overview, room, lang),
            "output_format": "text",
            "test_output_format": "text",
            "test_name_format": "text",
            "visibility": SHOWN,
            "stdout_visibility": "hidden",
            "tests": [_test(shown, number, row, room, lang) for shown, number, row in tests],
            "extra_data": {
                "isolation": line(report.isolation.level),
                "device": line(report.device),
                "seed": report.seed,
            },
        }
    )


def _visible(report: Report) -> Report:
    """Return the report as it may be read before grades are published."""
    results = tuple(open_side(result) for result in report.results)
    counted = [r for r in results if r.verdict is not Verdict.GRADER_ERROR]
    return replace(
        report, results=results, score=fsum(r.score for r in counted), max_score=fsum(r.max_score for r in counted)
    )


def open_side(result: Result) -> Result:
    """Return the result as if it had no hidden cases: neither its points nor what it says depend on how they ended."""
    outcomes = tuple(o for o in result.outcomes if not o.hidden)
    hidden = by_case(o for o in result.outcomes if o.hidden)
    if not hidden or result.verdict is Verdict.GRADER_ERROR:
        return result
    score, max_score = totals(outcomes)
    result = replace(result, outcomes=outcomes, score=score, max_score=max_score)
    if any(against(outcome) for outcome in by_case(outcomes)):
        return result  # what it says is of a visible case
    headline = message("Every visible case passes. Hidden cases that count as well: {count}.", count=len(hidden))
    verdict = Verdict.PASSED if outcomes else Verdict.NOT_JUDGED
    return replace(
        result, verdict=verdict, headline=headline, details=(), diagnoses=(), next_step=None, source=(), column=None
    )


def _overview(report: Report, seen: Report, view: ReportView) -> list[str]:
    """What stands above the tests: the points so far, each result in a line, notes, and how it was graded."""
    held = report.max_score - seen.max_score
    subtotal: Message = message("Points: {points}.", points=view.points)
    if held > 0:
        subtotal = message(
            "Points for what is visible: {points}. Hidden cases, shown when grades are published, count {held} more.",
            points=view.points,
            held=number(held),
        )
    each = [labelled(f"{r.verdict.mark} {r.title} {r.points}", r.headline, view.lang) for r in view.results]
    return [say(subtotal, view.lang), "", *each, "", *view.notes, *view.footer]


def _test(shown: ResultView, number: str, row: Row, room: int, lang: str) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": f"{shown.title}: {row.name}" if row.check else shown.title,
        "number": number,
        "score": plain_number(row.score),
        "max_score": plain_number(row.max_score),
        "output": _cut(_output(shown, row), room, lang),
        "visibility": HELD if row.hidden else SHOWN,
        "tags": [shown.slug],
        "extra_data": {"check": row.check, "verdict": row.verdict.value},
    }
    if row.ending != WAITING:
        test["status"] = "passed" if row.ending == PASSED else "failed"
    return test


def _output(shown: ResultView, row: Row) -> list[str]:
    """What is under a test. The story, and what the code printed, are those of visible cases: no hidden test has them."""
    finding = [row.finding] if row.finding and row.finding not in row.story else []
    if row.hidden or not row.story:
        return finding
    printed = ["", *(f"| {text}" for text in shown.printed)] if shown.printed else []
    return [*finding, *row.story, *printed]


def _cut(told: list[str], room: int, lang: str) -> str:
    text = "\n".join(told)
    if len(text) <= room:
        return text
    return text[:room] + "\n" + say(message("… ({count} more characters)", count=len(text) - room), lang)
