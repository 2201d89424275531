"""A course folder in, the same `Course` out as from `folder.load_course`, with each file read when it is first asked for.

A check of one file needs one exercise of many: reading the others would take longer than grading it. What is wrong with a
file that is never asked for is not found here; `grader author verify` reads them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from grader.course.folder import elsewhere_of, load_course_mistakes, read_listing
from grader.course.own_kinds import own_words
from grader.kinds import speaking
from grader.model import Course, Exercise, Mistake, Quiz
from grader.stages.spec import load_exercise, load_quiz
from grader.stages.spec.events import quickly

V = TypeVar("V")


class Later(Mapping[str, V]):
    """A mapping whose values are made when they are first asked for."""

    def __init__(self, makers: Mapping[str, Callable[[], V]]):
        self._makers, self._made = makers, dict[str, V]()

    def __getitem__(self, key: str) -> V:
        if key not in self._made:
            self._made[key] = self._makers[key]()
        return self._made[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def __contains__(self, key: object) -> bool:
        return key in self._makers


class LaterWhole(Mapping[str, V]):
    """A mapping that is made as a whole when anything of it is first asked for."""

    def __init__(self, make: Callable[[], Mapping[str, V]]):
        self._make: Callable[[], Mapping[str, V]] = make
        self._made: Mapping[str, V] | None = None

    def _whole(self) -> Mapping[str, V]:
        if self._made is None:
            self._made = self._make()
        return self._made

    def __getitem__(self, key: str) -> V:
        return self._whole()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._whole())

    def __len__(self) -> int:
        return len(self._whole())


def open_course_lazily(root: Path) -> Course:
    """Return the course; raise AuthorError for course.yaml and `kinds/` at once, and for another file when it is asked for."""
    with quickly():
        course, files = read_listing(root)
    chapter = {slug: m.title["en"] for m in course.modules for slug in (*m.exercises, *m.quizzes)}

    words = own_words(root)

    def exercise(slug: str) -> Exercise:
        path = files["exercises"][slug]
        with speaking(words), quickly():
            loaded = load_exercise(path, path.relative_to(root).as_posix(), arrays=course.arrays)
        return replace(loaded, module=chapter[slug], elsewhere=elsewhere_of(root, slug))

    def quiz(slug: str) -> Quiz:
        path = files["quizzes"][slug]
        with speaking(words), quickly():
            return replace(load_quiz(path, path.relative_to(root).as_posix()), module=chapter[slug])

    exercises = Later({slug: partial(exercise, slug) for module in course.modules for slug in module.exercises})
    quizzes = Later({slug: partial(quiz, slug) for module in course.modules for slug in module.quizzes})
    return replace(course, exercises=exercises, quizzes=quizzes)


def mistakes_lazily(root: Path) -> Mapping[str, Mistake]:
    """Return the texts of the mistakes, read when the first of them is asked for."""

    def read() -> Mapping[str, Mistake]:
        with quickly():
            return load_course_mistakes(root)

    return LaterWhole(read)
