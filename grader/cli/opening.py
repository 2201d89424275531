"""`--course` in, a course out: its folder at once, the rest when it is asked for."""

from __future__ import annotations

from pathlib import Path

from grader.cli.stop import Stop, no_such
from grader.course.find import NoCourse, find_course
from grader.model import Course, Exercise, Quiz


def course_folder(named: Path | None, lang: str, *, above: Path | None = None) -> Path:
    """Return the folder of the course that is meant, as `find_course` finds it; raise `Stop` when there is none."""
    try:
        return find_course(named, above=above)
    except NoCourse as error:
        raise Stop(error.why, lang) from error


def open_course(named: Path | None, lang: str, *, above: Path | None = None) -> Course:
    """Return the course itself, each file read when it is asked for; raises `AuthorError` for the mistakes in one."""
    from grader.course.lazily import open_course_lazily

    return open_course_lazily(course_folder(named, lang, above=above))


def find_item(course: Course, slug: str, lang: str) -> Exercise | Quiz:
    """Return the exercise or quiz that `slug` names; raise `Stop` with the nearest one when there is none."""
    if slug in course.exercises:
        return course.exercises[slug]
    if slug in course.quizzes:
        return course.quizzes[slug]
    raise no_such(slug, (*course.exercises, *course.quizzes), lang)
