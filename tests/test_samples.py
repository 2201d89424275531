"""Proof of value: every right sample gets full marks, every mistaken one less, with its mistake named. On the real road."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.folder import load_course, load_course_mistakes
from grader.grade import Settings, grade_exercise, prepare
from grader.locale import say
from grader.model import Course, IsolationUnavailable, Verdict
from grader.stages.intake import read_submission
from grader.stages.sandbox import Sandbox, open_sandbox

ROOT = Path(__file__).parent.parent
SAMPLES = Path(__file__).parent / "submissions"
RIGHT = sorted((SAMPLES / "right").glob("*/*.py"))
WRONG = sorted((SAMPLES / "wrong").glob("*/*.py"))
FIRST = list({path.parent.name: path for path in reversed(RIGHT)}.values())
"""One right sample of each exercise."""


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.fixture(scope="session")
def course() -> Course:
    return load_course(ROOT)


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(ROOT, load_course_mistakes(ROOT), cache=tmp_path_factory.mktemp("expected"))


@pytest.fixture(scope="session")
def best(course: Course) -> Iterator[Sandbox]:
    with open_sandbox("best", preload=course.preload, warm=True) as opened:
        yield opened


@pytest.fixture(scope="session", params=["strict", "none"])
def other(request: pytest.FixtureRequest, course: Course) -> Iterator[Sandbox]:
    """The other levels. One that this machine does not offer is reported as not run, by name."""
    try:
        opened = open_sandbox(request.param, preload=course.preload)
    except IsolationUnavailable as error:
        pytest.skip(f"isolation {request.param} was not run: {say(error.why, 'en')}")
    with opened:
        yield opened


@pytest.fixture(scope="session")
def prepared(course, settings):
    """What all samples of an exercise share, made once."""
    return functools.lru_cache(lambda slug: prepare(course.exercises[slug], settings))


@pytest.fixture
def graded(course, settings, prepared):
    def grade(path, sandbox):
        exercise = course.exercises[path.parent.name]
        submission = read_submission(path, exercise.slug, path.name)
        return grade_exercise(exercise, submission, settings, sandbox, prepared(exercise.slug))

    return grade


def _passes(result):
    told = [
        (o.case, o.check, o.verdict.value, o.message)
        for o in result.outcomes
        if o.verdict is not Verdict.PASSED and not o.remark
    ]
    assert (result.verdict, result.score, told) == (Verdict.PASSED, result.max_score, [])
    assert result.diagnoses == ()


@pytest.mark.parametrize("path", RIGHT, ids=_name)
def test_a_right_answer_gets_full_marks_however_it_is_written(path, graded, best):
    _passes(graded(path, best))


@pytest.mark.parametrize("path", FIRST, ids=_name)
def test_a_right_answer_of_each_exercise_gets_full_marks_at_every_level(path, graded, other):
    _passes(graded(path, other))


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in RIGHT if path not in FIRST], ids=_name)
def test_every_right_answer_gets_full_marks_at_every_level(path, graded, other):
    _passes(graded(path, other))


@pytest.mark.parametrize("path", WRONG, ids=_name)
def test_a_mistake_costs_points_and_is_named(path, graded, best):
    result = graded(path, best)
    assert result.score < result.max_score
    named = {mistake for diagnosis in result.diagnoses for mistake in diagnosis.mistakes}
    assert path.stem.split("__")[0] in named


def test_every_promised_mistake_has_a_sample_in_some_exercise(course):
    have = {path.stem.split("__")[0] for path in WRONG}
    for slug, exercise in course.exercises.items():
        for group in exercise.catches:
            assert have.intersection(group), f"{slug}: no sample of {group} anywhere"
