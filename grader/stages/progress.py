"""A report of many results and their course in, the same report with its place in the course out: chapters, what is next."""

from __future__ import annotations

from dataclasses import replace

from grader.model import Course, Message, Report, Result, Verdict, message

DONE = (Verdict.PASSED, Verdict.NOT_JUDGED)


def in_course(report: Report, course: Course) -> Report:
    """Return the report with the course's title and modules, and what to go on with."""
    return replace(report, title=course.title, modules=course.modules, next_step=_next(report, course))


def _next(report: Report, course: Course) -> Message:
    """Point to the first one in the order of the course that is not done; what was begun comes before what was not."""
    results = {result.slug: result for result in report.results}
    order = [slug for module in course.modules for slug in (*module.exercises, *module.quizzes)]
    waiting = [results[slug] for slug in order if slug in results and results[slug].verdict not in DONE]
    begun = [result for result in waiting if result.verdict is not Verdict.NOT_SUBMITTED]
    if not waiting:
        return message("Everything here is done.")
    return _begun(begun[0]) if begun else _fresh(waiting[0])


def _begun(result: Result) -> Message:
    if result.kind == "quiz":
        return message(
            "Go on with: {title}. `grader quiz {slug}` asks what is open.", title=result.title, slug=result.slug
        )
    return message("Go on with: {title}. `grader hint {slug}` gives a hint.", title=result.title, slug=result.slug)


def _fresh(result: Result) -> Message:
    if result.kind == "quiz":
        return message("Next: {title}. Start it with `grader quiz {slug}`.", title=result.title, slug=result.slug)
    return message("Next: {title}. Read it with `grader show {slug}`.", title=result.title, slug=result.slug)
