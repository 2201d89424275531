"""The report as CTRF, the common test report format of several build tools: one JSON object, specification 1.0.0.

CTRF has no errors: an exception and a limit that was met are failed, a fault of ours is other; `rawStatus` has the verdict, and
points are in `extra`. Single calls are not timed: the same submission gives the same file, `start` and `stop` apart.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from grader.kinds.reports.cases import without_hidden_values
from grader.kinds.reports.escape import line
from grader.kinds.reports.json import dumped, plain_number
from grader.kinds.reports.rows import ERRORED, FAILED, OURS, PASSED, SKIPPED, WAITING, Row, code, place, rows
from grader.kinds.reports.style import REPORTS, ReportStyle
from grader.kinds.reports.view import ResultView, report_view
from grader.model import Report, Result

STATUSES = {
    PASSED: "passed",
    FAILED: "failed",
    ERRORED: "failed",
    SKIPPED: "skipped",
    WAITING: "pending",
    OURS: "other",
}


@REPORTS.word("ctrf")
def render(report: Report, style: ReportStyle) -> str:
    """For build tools that read CTRF: one JSON object, one test a case or question."""
    report = without_hidden_values(report)
    view = report_view(report, style.lang)
    tests = [
        test
        for result, shown in zip(report.results, view.results, strict=True)
        for test in _tests(result, shown, style.lang)
    ]
    found = Counter(test["status"] for test in tests)
    start, stop = round(style.started * 1000), round(style.stopped * 1000)
    score = {"score": plain_number(report.score), "max_score": plain_number(report.max_score)}
    summary = {
        "tests": len(tests),
        **{status: found[status] for status in dict.fromkeys(STATUSES.values())},
        "suites": len(report.results),
        "start": start,
        "stop": stop,
        "duration": stop - start,
        "extra": {**score, "not_judged": report.not_judged},
    }
    held = {"isolation": line(report.isolation.level), "device": line(report.device), "seed": report.seed}
    results = {"tool": {"name": "attention-grader"}, "summary": summary, "tests": tests, "environment": {"extra": held}}
    return dumped({"reportFormat": "CTRF", "specVersion": "1.0.0", "results": results})


def _tests(result: Result, shown: ResultView, lang: str) -> list[dict[str, Any]]:
    tests = rows(result, shown, lang)
    printed = next((i for i, row in enumerate(tests) if row.story), 0)  # beside the story, so that it is there once
    return [_test(result, shown, row, i == printed) for i, row in enumerate(tests)]


def _test(result: Result, shown: ResultView, row: Row, printed: bool) -> dict[str, Any]:
    told = "\n".join([*([row.finding] if row.finding not in row.story else []), *row.story])
    test: dict[str, Any] = {
        "name": row.name,
        "status": STATUSES[row.ending],
        "duration": 0,
        "suite": [shown.slug],
        "rawStatus": row.verdict.value,
        "type": result.kind,
        "extra": {
            "check": row.check,
            "hidden": row.hidden,
            "points": plain_number(row.score),
            "max_points": plain_number(row.max_score),
        },
    }
    optional = {
        "message": told,
        "filePath": shown.path,
        "line": place(result),
        "snippet": "\n".join(code(shown.source)) if row.story else "",
        "stdout": list(shown.printed) if printed else [],
    }
    return test | {name: value for name, value in optional.items() if value}
