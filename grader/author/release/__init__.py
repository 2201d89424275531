"""A course in, the files of a release out: for learners, for GitHub, GitLab or Gradescope. Nothing a learner can read tells an answer."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import fsum
from pathlib import Path

from grader.author.release.courses import (
    Files,
    Unreleasable,
    judge_course,
    lay_out,
    learner_course,
    secret_variable,
)
from grader.author.release.judges import ci_files, gradescope_files
from grader.author.release.learners import learner_files
from grader.author.release.place import NotOurs, must_be_ours, place
from grader.course.folder import load_course, read_listing
from grader.model import Course, GraderError

__all__ = ["TARGETS", "Files", "NotOurs", "Release", "Unreleasable", "lay_out", "must_be_ours", "place", "release"]

TARGETS = ("learner", "github", "gitlab", "gradescope")
SHORTEST = 8
"""Bytes of a secret that is looked for in what is released: a shorter one stands anywhere by chance."""


def _silent(_: str) -> None:
    return None


@dataclass(frozen=True)
class Release:
    """What is asked for. `only` are the slugs that are wanted, all where there are none; `roster` is the CSV of learners."""

    root: Path
    target: str
    lang: str = "en"
    only: tuple[str, ...] = ()
    roster: bytes | None = None
    cache: Path | None = None
    tell: Callable[[str], None] = _silent


def release(order: Release) -> Files:
    """Return the files; raise AuthorError for a course with mistakes, Unreleasable, and GraderError where something would get out."""
    if order.target == "gradescope":
        course = load_course(order.root)
        points = _points(course, order.only)
        judge = judge_course(order.root, order.only)
        return _without_secret(
            gradescope_files(judge, points, secret_variable(order.root), order.lang), order.root, judge
        )
    copy = learner_course(order.root, order.only, order.cache, order.tell)
    files = learner_files(copy, order.lang)
    if order.target == "learner":
        return _without_secret(files, order.root, copy)
    judge = judge_course(order.root, order.only)
    files = ci_files(order.target, files, judge, secret_variable(order.root), order.roster, order.lang)
    return _without_secret(files, order.root, copy, judge)


def _points(course: Course, only: tuple[str, ...]) -> float:
    exercises = [e.points for slug, e in course.exercises.items() if not only or slug in only]
    quizzes = [q.points for slug, z in course.quizzes.items() if not only or slug in only for q in z.questions]
    return fsum((*exercises, *quizzes))


def _without_secret(files: Files, root: Path, *courses: Mapping[str, bytes]) -> Files:
    """Return the files; raise GraderError where the secret of the course stands in them, or in a course inside a wheel."""
    secret = _secret(root)
    where = [name for part in (files, *courses) for name, data in part.items() if secret and secret in data]
    if where:
        raise GraderError(f"the secret of the course stands in {where[0]}: nothing was released")
    return files


def _secret(root: Path) -> bytes:
    kind, _, name = (read_listing(root)[0].secret_from or "").partition(":")
    found = os.environ.get(name, "").encode() if kind == "env" else b""
    if kind == "file" and (root / name).is_file():
        found = (root / name).read_bytes().strip()
    return found if len(found) >= SHORTEST else b""
