"""Targets in, results out: the judge's half of `grader check`, imported while the learner's process starts."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from grader.cli.onward import pointing_onward
from grader.cli.opening import filled
from grader.cli.targets import Finder, Target
from grader.course import workspace
from grader.course.lazily import mistakes_lazily, open_course_lazily
from grader.course.secrets import secret_at
from grader.grade import Runner, Settings, grade_exercise, grade_quiz
from grader.model import Course, Isolation, Message, Report, Response, Result, Submission, Verdict, message
from grader.stages.intake import read_submission
from grader.stages.plan import PUBLIC_SECRET
from grader.stages.progress import in_course
from grader.stages.report import build_report, next_in_course, not_started, not_submitted
from grader.stages.sandbox import Sandbox
from grader.stages.spec import read_answers


@dataclass(frozen=True)
class Order:
    """What the command line asks for. `root` is the folder of the course; `narrowed` a slug, where one was named."""

    root: Path
    paths: tuple[Path, ...]
    narrowed: str | None
    seed: int
    device: str
    level: str
    lang: str


def report_on(order: Order, runner: Sandbox | None) -> Report:
    """Grade what was ordered and remember it in the workspaces; `runner` may be None when there is no code to run."""
    course = filled(open_course_lazily(order.root), order.lang)
    targets = Finder(course, order.narrowed, read_answers, order.lang).targets(order.paths)
    report = report_of(course, targets, order, runner)
    remember(report.results)
    return report


def report_of(course: Course, targets: Iterable[Target], order: Order, runner: Sandbox | None) -> Report:
    """Grade the targets."""
    secret, note = secret_of(course, os.environ)
    # Strict grading believes no file that a learner could have brought along.
    cache = None if order.level == "strict" else cache_folder(os.environ)
    mistakes = mistakes_lazily(order.root)
    settings = Settings(order.root, mistakes, order.seed, order.device, secret, cache)
    results = tuple(graded(course, targets, settings, runner))
    if len(results) == 1 and results[0].verdict is Verdict.PASSED:
        results = (replace(results[0], next_step=next_in_course(course, results[0].slug)),)
    isolation = runner.isolation if runner else Isolation(order.level)
    note = judged_elsewhere(course, results) or note
    report = build_report(results, isolation, order.device, order.seed, [note] if note and runner else [])
    return pointing_onward(in_course(report, course) if len(results) > 1 else report)


def graded(course: Course, targets: Iterable[Target], settings: Settings, runner: Runner | None) -> Iterator[Result]:
    """Yield the result of each target; `runner` may be None when there is no code among them."""
    for target in targets:
        if target.slug in course.quizzes:
            quiz, response = course.quizzes[target.slug], target.response
            yield grade_quiz(quiz, response) if response else _no_sheet(grade_quiz(quiz, Response("", quiz.slug, {})))
        elif (submission := _submitted(target)) is None:
            yield not_submitted(course.exercises[target.slug])
        elif workspace.untouched(course.exercises[target.slug], submission.source):
            yield not_started(course.exercises[target.slug], submission)
        else:
            assert runner is not None, "whatever is no answer sheet opens the sandbox"
            yield grade_exercise(course.exercises[target.slug], submission, settings, runner)


def _submitted(target: Target) -> Submission | None:
    if target.submission is not None or target.path is None:
        return target.submission
    return read_submission(target.path, target.slug, str(target.path))


def _no_sheet(empty: Result) -> Result:
    """Return the result of a quiz without a sheet: what an empty one gets, said as what it is."""
    step = message("Answer it with `grader quiz {slug}`.", slug=empty.slug)
    headline = message("No answer sheet was handed in for this quiz.")
    return replace(empty, verdict=Verdict.NOT_SUBMITTED, outcomes=(), details=(), headline=headline, next_step=step)


def judged_elsewhere(course: Course, results: Iterable[Result]) -> Message | None:
    """Return how many hidden cases a learner's copy of the course leaves to the judge, None where it leaves none."""
    hidden = sum(len(course.exercises[result.slug].elsewhere) for result in results if result.kind == "exercise")
    return message("Hidden cases that are judged elsewhere, and not counted here: {n}.", n=hidden) if hidden else None


def secret_of(course: Course, environ: Mapping[str, str]) -> tuple[bytes, Message | None]:
    """Return what hidden cases are drawn with, and what the report has to say about it."""
    kind, _, name = (course.secret_from or "").partition(":")
    if secret := secret_at(course.secret_from or "", Path(course.root), environ):
        return secret, None
    if not kind:
        note = message("Hidden cases are drawn from a public default: fine for practice, not for marks.")
        return PUBLIC_SECRET, note
    note = message(
        "Hidden cases are drawn from a public default, since the secret of the course ({secret}) is not here.",
        secret=f"{kind} {name}",
    )
    return PUBLIC_SECRET, note


def cache_folder(environ: Mapping[str, str]) -> Path | None:
    """Return where expectations are kept between runs, None where there is no place for them."""
    if sys.platform == "win32":
        kept = environ.get("LOCALAPPDATA")
    else:
        kept = environ.get("XDG_CACHE_HOME") or (environ.get("HOME") and str(Path(environ["HOME"], ".cache")))
    return Path(kept, "attention-grader") if kept else None


def remember(results: Iterable[Result]) -> None:
    """Write verdicts into the workspaces that the files lie in, if they lie in any."""
    found: dict[Path, list[Result]] = defaultdict(list)
    for result in results:
        if result.path and (root := workspace.find_workspace(Path(result.path))):
            found[root].append(result)
    for root, here in found.items():
        try:
            workspace.record(root, here)
        except OSError:
            continue  # a workspace that may only be read is graded all the same
