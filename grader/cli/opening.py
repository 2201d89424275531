"""`--course` in, a course out: its folder at once, the rest when it is asked for."""

from __future__ import annotations

from pathlib import Path

from grader.cli.stop import FAULT, Stop, no_such
from grader.course.find import NoCourse, find_course
from grader.kinds import OwnWords
from grader.model import Course, Exercise, GraderError, Message, Quiz, message
from grader.stages.released import frozen_of


def course_folder(named: Path | None, lang: str, *, above: Path | None = None) -> Path:
    """Return the folder of the course that is meant, as `find_course` finds it; raise `Stop` when there is none."""
    try:
        root = find_course(named, above=above)
        frozen_of(root)
        return root
    except NoCourse as error:
        raise Stop(error.why, lang) from error
    except GraderError as error:
        raise Stop(message("{what}", what=str(error)), lang, FAULT) from error


def judges_folder(named: Path | None, lang: str, *, above: Path | None = None) -> Path:
    """Return the folder of the course that is meant; raise `Stop` for a learner's copy, where a judge's is needed."""
    root = course_folder(named, lang, above=above)
    if frozen_of(root) is not None:
        what = message("{folder} is a learner's copy of the course: it has no answers. Use the judge's.", folder=root)
        raise Stop(what, lang)
    return root


def same_seed(root: Path, seed: int, lang: str) -> None:
    """Raise `Stop` for a seed other than the one that a learner's copy of the course was made with."""
    frozen = frozen_of(root)
    if frozen is not None and seed != frozen.seed:
        what = message(
            "This copy of the course has the answers for seed {frozen} only: leave out --seed {seed}.",
            frozen=frozen.seed,
            seed=seed,
        )
        raise Stop(what, lang)


def open_course(named: Path | None, lang: str, *, above: Path | None = None) -> Course:
    """Return the course itself, each file read when it is asked for; raises `AuthorError` for the mistakes in one."""
    from grader.course.lazily import open_course_lazily

    return filled(open_course_lazily(course_folder(named, lang, above=above)), lang)


def filled(course: Course, lang: str) -> Course:
    """Return the course; raise `Stop` for one that has nothing to work on yet, as a new one."""
    if what := emptiness(course):
        raise Stop(what, lang)
    return course


def emptiness(course: Course) -> Message | None:
    """Return what there is to say of a course without exercise or quiz, None for any other."""
    if any(module.exercises or module.quizzes for module in course.modules):
        return None
    return message(
        "The course in {folder} has no exercise or quiz yet. `grader author new exercise SLUG` begins one.",
        folder=course.root,
    )


def words_around(named: Path | None, lang: str) -> OwnWords:
    """Return the words that the course of an author adds: the one that is meant, or none where there is no course."""
    from grader.course.own_kinds import own_words

    try:
        return own_words(find_course(named, above=Path()))
    except NoCourse as error:
        if named is not None:
            raise Stop(error.why, lang) from error
        return OwnWords()


def find_item(course: Course, slug: str, lang: str) -> Exercise | Quiz:
    """Return the exercise or quiz that `slug` names; raise `Stop` with the nearest one when there is none."""
    if slug in course.exercises:
        return course.exercises[slug]
    if slug in course.quizzes:
        return course.quizzes[slug]
    raise no_such(slug, (*course.exercises, *course.quizzes), lang)
