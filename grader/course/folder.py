"""A course folder in, a `Course` out: `course.yaml`, its exercises and quizzes, and the texts of its mistakes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from grader.course.find import COURSE_FILE
from grader.course.own_kinds import own_words
from grader.course.policy import Policy, policy_of
from grader.kinds import OwnWords, speaking
from grader.model import TORCH, AuthorError, Course, Mistake, Module, message
from grader.stages.released import frozen_of
from grader.stages.spec import Source, load_exercise, load_mistakes, load_quiz
from grader.stages.spec.explain import sift, validate
from grader.stages.spec.models import CourseFile
from grader.stages.spec.reader import read_yaml
from grader.stages.spec.source import Problem, author_error, or_near
from grader.stages.spec.text import check_file_name, read_text

MISTAKES_FILE = "reference_impl/mistakes.yaml"
FOLDERS = ("exercises", "quizzes")

T = TypeVar("T")


def load_course(root: Path) -> Course:
    """Return the course in a folder; raise AuthorError with the problems of all its files."""
    problems: list[str] = []
    words = _kept(lambda: own_words(root), problems) or OwnWords()
    files = {folder: dict(_files(root, folder, problems)) for folder in FOLDERS}
    course = _kept(lambda: _read_course(root, files), problems)
    mistakes = _kept(lambda: load_course_mistakes(root), problems)
    arrays = course.arrays if course else TORCH
    exercise = partial(load_exercise, mistakes=mistakes, arrays=arrays)
    with speaking(words):
        exercises = _loaded(root, files["exercises"], exercise, problems)
        quizzes = _loaded(root, files["quizzes"], partial(load_quiz, exercises=files["exercises"]), problems)
    if problems or course is None:
        raise AuthorError(problems)
    chapter = {slug: m.title["en"] for m in course.modules for slug in (*m.exercises, *m.quizzes)}
    return replace(
        course,
        exercises={
            s: replace(exercises[s], module=chapter[s], elsewhere=elsewhere_of(root, s))
            for m in course.modules
            for s in m.exercises
        },
        quizzes={s: replace(quizzes[s], module=chapter[s]) for m in course.modules for s in m.quizzes},
    )


def elsewhere_of(root: Path, slug: str) -> tuple[float, ...]:
    """Return the weights of the hidden cases of an exercise that a learner's copy of the course does not have."""
    frozen = frozen_of(root)
    return frozen.elsewhere.get(slug, ()) if frozen else ()


def read_listing(root: Path) -> tuple[Course, dict[str, dict[str, Path]]]:
    """Return the course as course.yaml lists it, without its exercises and quizzes, and the file of each by folder and slug.

    Raise AuthorError where the list and the files do not fit.
    """
    problems: list[str] = []
    files = {folder: dict(_files(root, folder, problems)) for folder in FOLDERS}
    course = _kept(lambda: _read_course(root, files), problems)
    if problems or course is None:
        raise AuthorError(problems)
    return course, files


def load_policy(root: Path) -> Policy:
    """Return how the course in a folder counts; raise AuthorError with the problems of `course.yaml`."""
    source = read_yaml(read_text(root / COURSE_FILE, COURSE_FILE), COURSE_FILE)
    file = validate(CourseFile, source)
    if isinstance(file, list):
        raise author_error(COURSE_FILE, file)
    slugs = [slug for m in file.modules for slug in (*m.exercises, *m.quizzes)]
    policy = policy_of(file.policy, source, slugs)
    if isinstance(policy, list):
        raise author_error(COURSE_FILE, policy)
    return policy


def load_course_mistakes(root: Path) -> dict[str, Mistake]:
    """Return the mistakes that the course knows, none where it has no file of them; raise AuthorError."""
    path = root / MISTAKES_FILE
    return load_mistakes(path, MISTAKES_FILE) if os.path.lexists(path) else {}


def _kept(load: Callable[[], T], problems: list[str]) -> T | None:
    try:
        return load()
    except AuthorError as error:
        problems.extend(error.problems)
        return None


def _loaded(root: Path, files: Mapping[str, Path], load: Callable[[Path, str], T], problems: list[str]) -> dict[str, T]:
    """Return what could be loaded by slug; a file with problems keeps its slug out."""
    found = {slug: _kept(lambda p=path: load(p, _shown(root, p)), problems) for slug, path in files.items()}  # type: ignore[misc]
    return {slug: item for slug, item in found.items() if item is not None}


def _shown(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _files(root: Path, folder: str, problems: list[str]) -> Iterator[tuple[str, Path]]:
    """Yield slug and path of each file of a folder, in the order of their numbers."""
    seen: dict[str, Path] = {}
    for path in sorted((root / folder).glob("*.y*ml")):
        slug = check_file_name(path)
        if isinstance(slug, list):
            problems.extend(author_error(_shown(root, path), slug).problems)
        elif slug in seen:
            what = message("the slug is taken by {file}", file=_shown(root, seen[slug]))
            problems.extend(author_error(_shown(root, path), [Problem((1, 1), (), what)]).problems)
        else:
            seen[slug] = path
            yield slug, path


def _read_course(root: Path, files: Mapping[str, Mapping[str, Path]]) -> Course:
    source = read_yaml(read_text(root / COURSE_FILE, COURSE_FILE), COURSE_FILE)
    file = validate(CourseFile, source)
    problems = list(_listing(source, files))
    if isinstance(file, list):
        raise author_error(COURSE_FILE, [*file, *problems])
    where = file.secret.model_dump(exclude_none=True) if file.secret else {}
    if file.secret and len(where) != 1:
        problems.append(source.problem(("secret",), message("expected one of `file` and `env`")))
    slugs = [slug for m in file.modules for slug in (*m.exercises, *m.quizzes)]
    sift(policy_of(file.policy, source, slugs), problems)
    if problems:
        raise author_error(COURSE_FILE, problems)
    secret = next((f"{kind}:{name}" for kind, name in where.items()), None)
    modules = tuple(Module(m.title, m.exercises, m.quizzes) for m in file.modules)
    return Course(str(root), file.title, modules, file.preload, {}, {}, secret, file.arrays)


def _listing(source: Source, files: Mapping[str, Mapping[str, Path]]) -> Iterator[Problem]:
    """Yield what is wrong between the modules of course.yaml and the files that are there."""
    modules = source.at(("modules",))
    for folder in FOLDERS:
        listed: set[str] = set()
        for number in range(len(modules) if isinstance(modules, list) else 0):
            slugs = source.at(("modules", number, folder))
            for index, slug in enumerate(slugs if isinstance(slugs, list) else ()):
                path = ("modules", number, folder, index)
                if slug in listed:
                    yield source.problem(path, message("`{slug}` is listed twice", slug=slug))
                elif isinstance(slug, str) and slug not in files[folder]:
                    what = message("there is no file {folder}/NN_{slug}.yaml", folder=folder, slug=slug)
                    yield source.problem(path, or_near(what, slug, files[folder]))
                listed.add(str(slug))
        for slug, path_ in files[folder].items():
            if slug not in listed:
                what = message("{folder}/{name} is in no module", folder=folder, name=path_.name)
                yield source.problem(("modules",), what, key=True)
