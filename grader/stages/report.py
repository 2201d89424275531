"""Judged facts in, a Report out: the verdict, the points, the sentence that matters and the next step of each exercise.

Nothing here is in a language or a format yet; `kinds/reports` renders it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import fsum

from grader.kinds.reports.cases import against, by_case, redacted, totals
from grader.model import (
    Course,
    Diagnosis,
    Exercise,
    Isolation,
    Message,
    Observations,
    Outcome,
    Report,
    Result,
    Sayable,
    Submission,
    Text,
    Verdict,
    message,
)
from grader.stages.faults import fault_text, stop_text
from grader.stages.story import STOPS, graded, tell, told

CLOSE = 1e-9  # points are sums of floats


def exercise_result(
    exercise: Exercise,
    submission: Submission,
    observations: Observations | None,
    outcomes: tuple[Outcome, ...],
    diagnoses: tuple[Diagnosis, ...],
) -> Result:
    """Return the result of one exercise.

    The score is the sum of the outcomes' points; without outcomes it is 0 of all points.
    """
    if observations is not None and observations.verdict is Verdict.GRADER_ERROR:
        return replace(
            grader_error(exercise, observations.detail or message("The sandbox failed.")), path=submission.path
        )
    outcomes = tuple(_explained(exercise, observations, redacted(outcome)) for outcome in outcomes)
    score, max_score = totals(outcomes) if outcomes else (0.0, exercise.points_here)
    story = tell(exercise, observations, outcomes, diagnoses)
    return Result(
        kind="exercise",
        slug=exercise.slug,
        title=exercise.title,
        verdict=_verdict(observations, outcomes),
        score=score,
        max_score=max_score,
        outcomes=outcomes,
        diagnoses=diagnoses,
        headline=story.headline,
        next_step=story.next_step,
        details=story.details,
        source=story.source,
        column=story.column,
        printed=_printed(exercise, observations),
        printed_cut=observations is not None and observations.truncated,
        path=submission.path,
        prompt=exercise.prompt,
        hints=exercise.hints,
        line=None if submission.cells else _defined_at(submission.source, exercise.signature.name),
    )


def wrong_values(exercise: Exercise, outcomes: tuple[Outcome, ...]) -> tuple[str, ...]:
    """Return the open cases that are wrong in their numbers, for facts about them, the one to tell of first; none where that one is not."""
    first = told(exercise, outcomes)
    wrong = [o for o in by_case(outcomes) if o.check == "values" and o.verdict is Verdict.FAILED and not o.hidden]
    names = [o.case for o in wrong]
    if first is None or first.case not in names:
        return ()
    return (first.case, *(name for name in names if name != first.case))


def not_submitted(exercise: Exercise) -> Result:
    """Return the result of an exercise without a file: none of its points."""
    return _without_outcomes(
        exercise,
        Verdict.NOT_SUBMITTED,
        message("No file was handed in for this exercise."),
        message("Read it with `grader show {slug}`.", slug=exercise.slug),
    )


def not_started(exercise: Exercise, submission: Submission) -> Result:
    """Return the result of a file that is still the starter: none of its points, and no mistake either."""
    nothing = _without_outcomes(
        exercise,
        Verdict.NOT_SUBMITTED,
        message("This file is still the starter: nothing is written in it yet."),
        message(
            "Read what to write with `grader show {slug}`; it goes where `raise NotImplementedError` stands.",
            slug=exercise.slug,
        ),
    )
    return replace(nothing, path=submission.path, prompt=exercise.prompt, hints=exercise.hints)


def unreadable(exercise: Exercise | str, submission: Submission) -> Result:
    """Return the result of a file that could not be read; a bare slug is an exercise that this course does not have."""
    problem = submission.problem or message("This file cannot be read.")
    return replace(_without_outcomes(exercise, Verdict.ERRORED, problem, None), path=submission.path)


def grader_error(exercise: Exercise | str, detail: Sayable) -> Result:
    """Return the result of an exercise that we failed to grade: it leaves the score and the maximum."""
    headline = message("This could not be graded, and that is not your fault: no points were lost.")
    next_step = message("Tell whoever runs the course what stands above.")
    result = _without_outcomes(exercise, Verdict.GRADER_ERROR, headline, next_step)
    return replace(result, max_score=0.0, details=(detail,))


def _without_outcomes(
    exercise: Exercise | str, verdict: Verdict, headline: Sayable, next_step: Sayable | None
) -> Result:
    title: Text = {"en": exercise, "zh": exercise} if isinstance(exercise, str) else exercise.title
    slug, points = (exercise, 0.0) if isinstance(exercise, str) else (exercise.slug, exercise.points_here)
    return Result("exercise", slug, title, verdict, 0.0, points, headline=headline, next_step=next_step)


def next_in_course(course: Course, slug: str) -> Message:
    """Point to what comes after `slug` in the course."""
    order = [name for module in course.modules for name in (*module.exercises, *module.quizzes)]
    following = order[order.index(slug) + 1 :] if slug in order else []
    if not following:
        return message("That was the last one of this course.")
    found = following[0]
    if found in course.quizzes:
        return message(
            "Next: {title}. Start it with `grader quiz {slug}`.", title=course.quizzes[found].title, slug=found
        )
    return message("Next: {title}. Read it with `grader show {slug}`.", title=course.exercises[found].title, slug=found)


def build_report(
    results: Iterable[Result], isolation: Isolation, device: str, seed: int, notes: Sequence[Sayable] = ()
) -> Report:
    """Return the report of a run. What was not judged and what we failed to grade leave both score and maximum."""
    results = tuple(results)
    counted = [r for r in results if r.verdict is not Verdict.GRADER_ERROR]
    return Report(
        results=results,
        score=fsum(r.score for r in counted),
        max_score=fsum(r.max_score for r in counted),
        isolation=isolation,
        device=device,
        seed=seed,
        not_judged=sum(_waiting(result) for result in results),
        notes=tuple(notes),
    )


def _waiting(result: Result) -> int:
    outcomes = sum(outcome.verdict is Verdict.NOT_JUDGED for outcome in result.outcomes)
    return outcomes or int(result.verdict is Verdict.NOT_JUDGED)


def exit_code(report: Report, min_percent: float = 100.0) -> int:
    """Return 0 when the score is reached, 1 when it is not or nothing could be judged, 3 when we are at fault."""
    verdicts = {v for r in report.results for v in (r.verdict, *(o.verdict for o in r.outcomes))}
    if Verdict.GRADER_ERROR in verdicts:
        return 3
    if report.max_score <= 0:
        return 1
    return 0 if report.score >= report.max_score * min_percent / 100 - CLOSE else 1


def _verdict(observations: Observations | None, outcomes: tuple[Outcome, ...]) -> Verdict:
    if observations is not None and observations.verdict is not Verdict.PASSED:
        return observations.verdict
    if any(o.verdict is Verdict.GRADER_ERROR for o in outcomes):
        return Verdict.GRADER_ERROR
    wrong = [o.verdict for o in by_case(outcomes) if against(o)]
    if wrong:
        return next((verdict for verdict in wrong if verdict is not Verdict.SKIPPED), Verdict.FAILED)
    passed = any(o.verdict is Verdict.PASSED for o in outcomes if not o.remark)
    return Verdict.PASSED if passed else Verdict.NOT_JUDGED


def _explained(exercise: Exercise, observations: Observations | None, outcome: Outcome) -> Outcome:
    """Say what stopped an open case, where the outcome itself does not."""
    seen = graded(observations, outcome.case)
    if outcome.hidden or outcome.message or outcome.verdict not in STOPS or seen is None:
        return outcome
    if seen.fault is not None:
        return replace(outcome, message=fault_text(exercise, seen.fault, outcome.case))
    return replace(outcome, message=stop_text(exercise, outcome.verdict, exercise.limits.call_seconds))


def _defined_at(source: bytes, name: str) -> int | None:
    """Return the line of the last definition at the top level. By pattern: the judge does not parse what a learner wrote."""
    text = source.decode("utf-8", "replace")
    named = re.escape(name)
    found = list(
        re.finditer(rf"^(?:(?:async[ \t]+)?(?:def|class)[ \t]+{named}\b|{named}[ \t]*[:=])", text, re.MULTILINE)
    )
    return text.count("\n", 0, found[-1].start()) + 1 if found else None


def _printed(exercise: Exercise, observations: Observations | None) -> str:
    """What the learner's code printed while it was loaded and in the graded call of each open case."""
    if observations is None:
        return ""
    calls = (graded(observations, case.name) for case in exercise.cases if not case.hidden)
    return observations.printed + "".join(call.printed for call in calls if call is not None)
