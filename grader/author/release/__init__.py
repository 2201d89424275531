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
    secret_places,
    secret_variables,
)
from grader.author.release.judges import ci_files, gradescope_files
from grader.author.release.learners import learner_files, own_sheets
from grader.author.release.place import NotOurs, must_be_ours, place
from grader.author.release.templates import filled
from grader.course.downloads import Person
from grader.course.folder import load_course, load_policy
from grader.course.secrets import secret_at
from grader.course.variants import NoSecret, has_variants, variant_secret
from grader.model import Course, GraderError, message

__all__ = ["Files", "NotOurs", "Release", "Unreleasable", "lay_out", "must_be_ours", "place", "release"]

SHORTEST = 8
"""Bytes of a secret that is looked for in what is released: a shorter one stands anywhere by chance."""


def _silent(_: str) -> None:
    return None


@dataclass(frozen=True)
class Release:
    """What is asked for. `only` are the slugs that are wanted, all where there are none.

    `roster` is the CSV of learners as it is, `people` those who stand in it.
    """

    root: Path
    target: str
    lang: str = "en"
    only: tuple[str, ...] = ()
    roster: bytes | None = None
    people: tuple[Person, ...] = ()
    cache: Path | None = None
    tell: Callable[[str], None] = _silent


def release(order: Release) -> Files:
    """Return the files; raise AuthorError for a course with mistakes, Unreleasable, and GraderError where something would get out."""
    own, secret = _own_numbers(order)
    if order.target == "gradescope":
        judge = judge_course(order.root, order.only)
        points, (hidden, _) = _points(load_course(order.root), order.only), secret_variables(order.root)
        return _without_secrets(gradescope_files(judge, points, hidden, order.lang), order.root, judge)
    copy = learner_course(order.root, order.only, order.cache, order.tell)
    files = learner_files(copy, order.lang, own)
    sheets = own_sheets(copy, own, order.people, secret, order.lang)
    beside = {f"sheets/{name}": data for name, data in sheets.items()}
    if order.target == "learner":
        files = {f"learner/{name}": data for name, data in files.items()} if beside else files
        readme = {"README.md": filled(f"sheets.{order.lang}.md")} if beside else {}
        return _without_secrets({**files, **beside, **readme}, order.root, copy)
    judge = judge_course(order.root, order.only)
    secrets = secret_variables(order.root)
    files = ci_files(order.target, files, judge, secrets, order.roster, order.lang, sheets=bool(beside))
    return _without_secrets({**files, **beside}, order.root, copy, judge)


def _own_numbers(order: Release) -> tuple[tuple[str, ...], bytes]:
    """Return the quizzes in which every learner has numbers of their own, and the secret for that; raise Unreleasable."""
    quizzes = load_course(order.root).quizzes
    own = tuple(s for s, quiz in quizzes.items() if has_variants(quiz) and (not order.only or s in order.only))
    if not own or load_policy(order.root).variants is None:
        return (), b""
    names = ", ".join(own)
    if order.target == "gradescope":
        what = message(
            "Gradescope does not tell whose numbers a sheet should have. Grade {names} with `grader course grade`, "
            "and name all else with --exercise.",
            names=names,
        )
        raise Unreleasable(what, usage=True)
    if not order.people:
        what = message(
            "The policy gives each learner numbers of their own in {names}: add --roster, a CSV of the learners.",
            names=names,
        )
        raise Unreleasable(what, usage=True)
    try:
        return own, variant_secret(load_policy(order.root), order.root, os.environ) or b""
    except NoSecret as error:
        raise Unreleasable(error.why) from error


def _points(course: Course, only: tuple[str, ...]) -> float:
    exercises = [e.points for slug, e in course.exercises.items() if not only or slug in only]
    quizzes = [q.points for slug, z in course.quizzes.items() if not only or slug in only for q in z.questions]
    return fsum((*exercises, *quizzes))


def _without_secrets(files: Files, root: Path, *courses: Mapping[str, bytes]) -> Files:
    """Return the files; raise GraderError where a secret of the course stands in them, or in a course inside a wheel."""
    found = [secret_at(place, root, os.environ) for place in secret_places(root)]
    secrets = [secret for secret in found if len(secret) >= SHORTEST]
    for part in (files, *courses):
        for name, data in part.items():
            if any(secret in data for secret in secrets):
                raise GraderError(f"the secret of the course stands in {name}: nothing was released")
    return files
