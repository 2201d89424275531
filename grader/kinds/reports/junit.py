"""The report for build servers: JUnit XML, valid under the schemas of Ant (Windy Road) and of Jenkins.

One suite an exercise or quiz, one test a case or question. A wrong answer is a failure; an exception, a limit that was met and
a fault of ours are errors; what was never reached or waits for a person is skipped. A test here has passed or not, so points
stand in the message, and in the properties of the suite. Single calls are not timed: the same submission gives the same file,
and only `timestamp` differs.
"""

from __future__ import annotations

from datetime import datetime, timezone
from xml.etree import ElementTree as ET

from grader.kinds.reports.cases import without_hidden_values
from grader.kinds.reports.escape import line, unmarked
from grader.kinds.reports.rows import ERRORED, FAILED, OURS, SKIPPED, WAITING, Row, rows
from grader.kinds.reports.style import REPORTS, ReportStyle
from grader.kinds.reports.view import ResultView, labelled, points, report_view
from grader.locale import say
from grader.model import Report, Result, message

ELEMENTS = {FAILED: "failure", ERRORED: "error", OURS: "error", SKIPPED: "skipped", WAITING: "skipped"}
COUNTS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


@REPORTS.word("junit")
def render(report: Report, style: ReportStyle) -> str:
    """For build servers: JUnit XML, one suite an exercise or quiz, one test a case or question."""
    report = without_hidden_values(report)
    view = report_view(report, style.lang)
    root = ET.Element("testsuites")
    for number, (result, shown) in enumerate(zip(report.results, view.results, strict=True)):
        suite = _suite(report, result, shown, style)
        suite.set("id", str(number))
        root.append(suite)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return unmarked(f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n', "&#58;", "&#91;")


def _suite(report: Report, result: Result, shown: ResultView, style: ReportStyle) -> ET.Element:
    tests = rows(result, shown, style.lang)
    elements = [ELEMENTS.get(row.ending) for row in tests]
    started = datetime.fromtimestamp(int(style.started), timezone.utc)
    suite = ET.Element("testsuite", name=shown.slug, package=shown.path or shown.slug, tests=str(len(tests)))
    for name, element in COUNTS.items():
        suite.set(name, str(elements.count(element)))
    suite.set("time", "0")
    suite.set("timestamp", started.strftime("%Y-%m-%dT%H:%M:%S"))  # of UTC; the schema of Ant takes no zone
    suite.set("hostname", "localhost")
    properties = ET.SubElement(suite, "properties")
    for name, value in _facts(report, result, shown).items():
        ET.SubElement(properties, "property", name=name, value=value)
    suite.extend(_test(shown.slug, row, style.lang) for row in tests)
    ET.SubElement(suite, "system-out").text = "\n".join(shown.printed)
    ET.SubElement(suite, "system-err")
    return suite


def _facts(report: Report, result: Result, shown: ResultView) -> dict[str, str]:
    return {
        "title": shown.title,
        "verdict": result.verdict.value,
        "points": shown.points,
        "isolation": line(report.isolation.level),
        "device": line(report.device),
        "seed": str(report.seed),
    }


def _test(suite: str, row: Row, lang: str) -> ET.Element:
    test = ET.Element("testcase", classname=suite, name=row.name, time="0")
    if row.ending not in ELEMENTS:
        return test
    element = ET.SubElement(test, ELEMENTS[row.ending], message=_said(row, lang))
    if row.ending not in (SKIPPED, WAITING):
        element.set("type", row.check if row.ending == FAILED and row.check else row.verdict.value)
    if row.story:
        element.text = "\n".join(row.story)
    return test


def _said(row: Row, lang: str) -> str:
    """What a test found, that it is a hidden one, and what it cost."""
    hidden = message("hidden case")
    finding = labelled(say(hidden, lang), row.finding, lang) if row.hidden else row.finding
    if not row.max_score:
        return finding
    scored = message("{finding} ({points} points)", finding=finding, points=points(row.score, row.max_score))
    return say(scored, lang)
