"""`--course` in, a loaded course out; imports the readers of YAML, so commands call it when they run."""

from __future__ import annotations

from pathlib import Path

from grader.cli.stop import Stop, no_such
from grader.course.folder import NoCourse, find_course, load_course
from grader.model import Course, Exercise, Quiz


def open_course(folder: Path | None, lang: str) -> Course:
    """Return the course in `folder`, or the built-in one; raise `Stop` when there is none, `AuthorError` for its mistakes."""
    try:
        return load_course(find_course(folder))
    except NoCourse as error:
        raise Stop(error.why, lang) from error


def find_item(course: Course, slug: str, lang: str) -> Exercise | Quiz:
    """Return the exercise or quiz that `slug` names; raise `Stop` with the nearest one when there is none."""
    known: dict[str, Exercise | Quiz] = {**course.exercises, **course.quizzes}
    if slug not in known:
        raise no_such(slug, known, lang)
    return known[slug]
