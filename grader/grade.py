"""The flow on one screen: a submission or a sheet of answers in, a result out. Every stage is called here, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from grader.model import (
    Course,
    Exercise,
    Expectations,
    GraderError,
    Mistake,
    Observations,
    Plan,
    Quiz,
    Response,
    Result,
    Submission,
    Verdict,
    message,
)
from grader.stages import report
from grader.stages.answers import judge_quiz
from grader.stages.compare import compare
from grader.stages.diagnose import diagnose
from grader.stages.expect import expect, fitting_pairs
from grader.stages.fingerprint import facts
from grader.stages.notebook import in_cells
from grader.stages.plan import PUBLIC_SECRET, plan
from grader.stages.shrink import example_of


class Runner(Protocol):
    """What runs learner code: `grader.stages.sandbox.Sandbox`, or a stand-in."""

    def run(self, plan: Plan, submission: Submission) -> Observations:
        """Return what the submission did in each call of the plan."""
        ...


@dataclass(frozen=True)
class Settings:
    """What a run is graded with. `cache` keeps expectations between runs; `secret` draws the hidden cases."""

    course_root: Path
    mistakes: Mapping[str, Mistake]
    seed: int = 0
    device: str = "cpu"
    secret: bytes = PUBLIC_SECRET
    cache: Path | None = None


@dataclass(frozen=True)
class Prepared:
    """What is the same for every submission of an exercise under the same settings."""

    plan: Plan
    expected: Expectations


def prepare(exercise: Exercise, settings: Settings) -> Prepared:
    """Return what a class shares; raise GraderError where the reference fails."""
    planned = plan(exercise, seed=settings.seed, device=settings.device, secret=settings.secret)
    return Prepared(planned, expect(planned, settings.course_root, settings.cache))


def grade_exercise(
    exercise: Exercise, submission: Submission, settings: Settings, runner: Runner, prepared: Prepared | None = None
) -> Result:
    """Grade one file.

    Whatever the learner's code does ends as a verdict of theirs; a fault of ours as `grader_error`.
    """
    if submission.problem is not None:
        return in_cells(report.unreadable(exercise, submission), submission)
    try:
        known = prepared or prepare(exercise, settings)  # while the runner's process is still starting
        planned, expected = known.plan, known.expected
        observed = runner.run(planned, submission)
    except GraderError as error:
        return report.grader_error(exercise, message("{what}", what=str(error)))
    if observed.verdict is Verdict.GRADER_ERROR:
        return report.grader_error(exercise, observed.detail or message("the sandbox failed"))
    outcomes = compare(planned, observed, expected)
    pairs = partial(fitting_pairs, planned, observed, expected, settings.course_root, settings.cache)
    diagnoses = diagnose(planned, observed, expected, settings.mistakes, outcomes, pairs)
    result = report.exercise_result(exercise, submission, observed, outcomes, diagnoses)
    result = replace(result, example=example_of(diagnoses, expected))
    wrong = report.wrong_values(exercise, outcomes) if not diagnoses else ()
    if wrong:
        result = replace(result, details=(*result.details, *facts(planned, observed, wrong)))
    return in_cells(result, submission)


def grade_quiz(quiz: Quiz, response: Response) -> Result:
    """Grade one sheet of answers."""
    return judge_quiz(quiz, response)


def not_submitted(course: Course, slugs: tuple[str, ...]) -> tuple[Result, ...]:
    """A result of zero for each exercise of the course that has no file."""
    return tuple(report.not_submitted(course.exercises[slug]) for slug in slugs)
