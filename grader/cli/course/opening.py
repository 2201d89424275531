"""A folder that a class was graded into, and its course, for the commands that come after grading."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from grader.cli.grading import secret_of
from grader.cli.opening import course_folder
from grader.cli.stop import USAGE, Stop, some
from grader.course.batch.tasks import Setup
from grader.course.changed import changed
from grader.course.downloads import RosterError, Wanted
from grader.course.find import COURSE_FILE, find_course
from grader.course.folder import load_course, load_policy
from grader.course.gradebook import Book
from grader.course.gradebook.overrides import read_overrides
from grader.course.store import FILE, InUse, Store
from grader.locale import say
from grader.model import Course, GraderError, Message, message

SETTINGS = "settings"


@dataclass(frozen=True)
class Graded:
    """A graded class: its store, its course, and how it counts."""

    store: Store
    book: Book
    settings: dict[str, object]

    @property
    def course(self) -> Course:
        return self.book.course


@contextmanager
def open_store(folder: Path, lang: str, *, writing: bool) -> Iterator[Store]:
    """Open the store in a folder; raise `Stop` where another run holds it or it cannot be used."""
    try:
        store = Store(folder, writing=writing)
    except InUse as error:
        why = message("Another run is writing into {folder}. Wait for it, or end it.", folder=folder)
        raise Stop(why, lang) from error
    except (OSError, GraderError) as error:
        raise Stop(message("{folder} cannot be used: {why}", folder=folder, why=str(error)), lang) from error
    with store:
        yield store


@contextmanager
def open_graded(folder: Path, course: Path | None, lang: str, *, writing: bool = False) -> Iterator[Graded]:
    """Open what `course grade` has left in a folder, with the rules as they are now."""
    if not (folder / FILE).is_file():
        raise Stop(message("{folder} has no graded class in it. `grader course grade` makes one.", folder=folder), lang)
    with open_store(folder, lang, writing=writing) as store:
        settings = json.loads(store.fact(SETTINGS) or "{}")
        root = course_folder(course or (Path(settings["course"]) if settings.get("course") else None), lang)
        loaded = load_course(root)
        yield Graded(store, book_of(store, loaded, settings.get("exercises", ()), lang), settings)


def book_of(store: Store, course: Course, slugs: tuple[str, ...], lang: str) -> Book:
    """Return what rows are made with; raise `Stop` for overrides that cannot be read."""
    wanted = Wanted.of(course, slugs)
    learners = [person.id for person in store.learners()]
    try:
        overrides = read_overrides(store.folder, learners, wanted.slugs)
    except RosterError as error:
        raise listed(error.problems, message("The overrides cannot be read."), lang) from error
    return Book(course, wanted, load_policy(Path(course.root)), overrides)


def tell_changed(graded: Graded, lang: str) -> None:
    """Say on standard error where the course is another than the one that the class was graded with."""
    if slugs := changed(graded.store, graded.book):
        what = message(
            "The course has changed since this class was graded: {slugs}. Points and maxima there are those of before, "
            "weights are those of now. `grader course regrade {folder}` says who would gain or lose.",
            slugs=some(slugs),
            folder=graded.store.folder,
        )
        click.echo(say(what, lang), err=True)


def tell_elsewhere(named: Path | None, root: Path, lang: str) -> None:
    """Say on standard error that the built-in course is taken, where the folder that the command runs in lies in another one."""
    here = find_course(above=Path()) if named is None else root
    if here.resolve() != root.resolve():
        what = message(
            "The course is the built-in one. This folder lies in another, {folder}: add --course {folder} to mean that.",
            folder=here,
        )
        click.echo(say(what, lang), err=True)


def must_be_of(out: Path, root: Path, lang: str) -> None:
    """Raise `Stop` for a folder whose records are of another course; one that has moved since is the same."""
    if not (out / FILE).is_file():
        return
    with open_store(out, lang, writing=False) as store:
        said = json.loads(store.fact(SETTINGS) or "null")
    if said is None:
        return
    before = Path(said["course"]) if said.get("course") else course_folder(None, lang)
    if (before / COURSE_FILE).is_file() and before.resolve() != root.resolve():
        what = message(
            "{out} has a class that was graded with another course, {before}, and this is {now}. Choose another --out, "
            "or say --course {before}. `grader course regrade {out} --course {now}` goes over to this one.",
            out=out,
            before=before,
            now=root,
        )
        raise Stop(what, lang)


def listed(problems: list[Message], why: Message, lang: str, code: int = USAGE) -> Stop:
    """Print problems, one a line, and return the `Stop` that ends the command."""
    for problem in problems:
        click.echo(say(problem, lang), err=True)
    return Stop(why, lang, code)


def setup_of(graded: Graded) -> Setup:
    """Return how the class was graded, for grading it again."""
    settings = graded.settings
    secret, _ = secret_of(graded.course, os.environ)
    seed, device, level = (
        settings.get("seed", 0),
        str(settings.get("device", "cpu")),
        str(settings.get("level", "strict")),
    )
    assert isinstance(seed, int)
    return Setup(Path(graded.course.root), seed, device, level, secret, graded.store.folder / "cache")
