"""A report of many results is given its place in the course: chapters, and what to go on with."""

from __future__ import annotations

import pytest

from grader.locale import say
from grader.model import Course, Isolation, Module, Report, Result, Verdict
from grader.stages.progress import in_course
from grader.stages.report import build_report

COURSE = Course(
    "",
    {"en": "Course", "zh": "课程"},
    (Module({}, ("first", "second")), Module({}, ("third",), ("quiz",))),
    (),
    {},
    {},
)
P, F, E, N = Verdict.PASSED, Verdict.FAILED, Verdict.ERRORED, Verdict.NOT_SUBMITTED


def graded(**verdicts: Verdict) -> Report:
    results = [
        Result("quiz" if slug == "quiz" else "exercise", slug, {"en": slug.title()}, verdict, 0, 1)
        for slug, verdict in verdicts.items()
    ]
    return in_course(build_report(results, Isolation("best"), "cpu", 0), COURSE)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ({"third": F, "second": E, "first": N}, "Go on with: Second. `grader hint second` gives a hint."),
        ({"first": P, "second": N, "third": N}, "Next: Second. Read it with `grader show second`."),
        ({"first": P, "quiz": N}, "Next: Quiz. Start it with `grader quiz quiz`."),
        ({"first": P, "quiz": F, "third": N}, "Go on with: Quiz. `grader quiz quiz` asks what is open."),
        ({"first": P, "quiz": Verdict.NOT_JUDGED}, "Everything here is done."),
    ],
)
def test_what_was_begun_comes_before_what_was_not_in_the_order_of_the_course(
    verdicts: dict[str, Verdict], expected: str
) -> None:
    step = graded(**verdicts).next_step
    assert step is not None
    assert say(step, "en") == expected


def test_the_report_has_the_title_and_the_modules_of_its_course() -> None:
    report = graded(first=P)
    assert (report.title, report.modules) == (COURSE.title, COURSE.modules)
