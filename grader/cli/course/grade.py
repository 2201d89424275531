"""`grader course grade`: submissions in, a store with one record for each of them out, and pages for the learners."""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import is_zipfile

import click

from grader.cli.check import LEVELS, usable
from grader.cli.course.engine import Engine, threads, workers
from grader.cli.course.opening import SETTINGS, book_of, listed, must_be_of, open_store, tell_elsewhere
from grader.cli.course.progress import Meter
from grader.cli.course.summary import summary
from grader.cli.grading import secret_of
from grader.cli.opening import filled, judges_folder
from grader.cli.options import FOLDER, NamedPath, course_option, lang_option, told
from grader.cli.stop import FAULT, Stop, no_such, some
from grader.cli.targets import must_exist
from grader.course.batch import Class, Progress, grade_class
from grader.course.batch.identity import Versions, versions_of
from grader.course.batch.pages import Pages
from grader.course.batch.tasks import Setup, course_at
from grader.course.downloads import Entry, Roster, RosterError, find_entries, find_strays, read_roster
from grader.course.folder import load_policy
from grader.course.regrade import write_standings
from grader.course.variants import NoSecret, own_numbers, variant_secret
from grader.kinds.reports.escape import line
from grader.locale import say
from grader.model import Course, Message, message
from grader.stages.intake import Refused

DEVICES = ("cpu", "cuda")


@click.command(help=told(message("Grade the submissions of a class: a folder or zip, one folder or file a learner.")))
@click.argument("submissions", type=NamedPath(path_type=Path))
@click.option(
    "--out", required=True, type=FOLDER, metavar="DIR", help=told(message("Where records and pages are kept."))
)
@click.option(
    "--jobs", type=click.IntRange(1, 256), help=told(message("How many at once; as many as there are cores."))
)
@click.option(
    "--exercise",
    "slugs",
    multiple=True,
    metavar="SLUG",
    help=told(message("Only this one, in the gradebook too; may be repeated.")),
)
@click.option("--roster", type=click.Path(dir_okay=False, path_type=Path), help=told(message("A CSV of the learners.")))
@click.option("--seed", type=click.IntRange(0), default=0, help=told(message("What the cases are drawn from.")))
@click.option(
    "--isolation",
    type=click.Choice(LEVELS),
    default="strict",
    help=told(message("What holds learners' code; strict unless given.")),
)
@click.option("--device", type=click.Choice(DEVICES), default="cpu", help=told(message("Where the tensors live.")))
@click.option(
    "--scheduler", metavar="ADDRESS", help=told(message("Grade on the workers of a Dask scheduler: tcp://HOST:8786."))
)
@course_option
@lang_option
def grade(
    submissions: Path, slugs: tuple[str, ...], roster: Path | None, course: Path | None, lang: str, **how: Any
) -> None:
    must_exist((submissions, *([roster] if roster else [])), lang)
    root = judges_folder(course, lang).resolve()
    tell_elsewhere(course, root, lang)
    must_be_of(how["out"], root, lang)
    must_be_apart(how["out"], submissions, lang)
    loaded = filled(course_at(root)[0], lang)
    for slug in slugs:
        if slug not in (known := (*loaded.exercises, *loaded.quizzes)):
            raise no_such(slug, known, lang)
    entries, people = gathered(submissions, roster, lang)
    secret, note = secret_of(loaded, os.environ)
    own = own_numbers(loaded, variants(root, lang))
    order = Order(root, str(root) if course else "", slugs, lang=lang, **how)
    with order.engine(loaded, secret) as engine, open_store(order.out, lang, writing=True) as store:
        store.enrol(people.people.values())
        store.remember(SETTINGS, order.settings())
        book = book_of(store, loaded, slugs, lang)
        pages = Pages(store, book, engine.isolation, order.device, order.seed, lang, (note,) if note else ())
        progress = Progress(len(entries))
        class_ = engine.on(store, order.setup(secret), order.versions(loaded, secret), book.wanted, own)
        run(class_, entries, progress, pages, lang)
        write_standings(store, book)
        click.echo(summary(store, book, lang))
    if progress.faults:
        raise Stop(faults(progress, lang), lang, FAULT)


def variants(root: Path, lang: str) -> bytes | None:
    """Return the secret that gives each learner numbers of their own; raise `Stop` where the policy wants one that is not here."""
    try:
        return variant_secret(load_policy(root), root, os.environ)
    except NoSecret as error:
        raise Stop(error.why, lang, FAULT) from error


@dataclass(frozen=True)
class Order:
    """What the command line asks for. `named` is the course where one was named, "" for the built-in one."""

    root: Path
    named: str
    slugs: tuple[str, ...]
    out: Path
    jobs: int | None
    seed: int
    isolation: str
    device: str
    scheduler: str | None
    lang: str

    def settings(self) -> str:
        """Return what later commands have to know."""
        said = {"course": self.named, "exercises": self.slugs, "seed": self.seed, "level": self.isolation}
        return json.dumps({**said, "device": self.device})

    def setup(self, secret: bytes) -> Setup:
        """Return how tasks grade."""
        return Setup(self.root, self.seed, self.device, self.isolation, secret, self.out / "cache")

    def versions(self, course: Course, secret: bytes) -> Versions:
        """Return what the results depend on."""
        return versions_of(course, seed=self.seed, secret=secret, device=self.device, level=self.isolation)

    def engine(self, course: Course, secret: bytes) -> AbstractContextManager[Engine]:
        """Return what grades; entered before anything is written, since what cannot be held is not run."""
        if self.scheduler is None:
            usable(self.device, self.lang)
            return threads(self.setup(secret), self.jobs or os.cpu_count() or 1)
        versions = self.versions(course, secret)
        return workers(self.scheduler, self.setup(secret), self.named, versions, self.jobs, self.lang)


def must_be_apart(out: Path, submissions: Path, lang: str) -> None:
    """Raise `Stop` for a folder among the submissions: the next run would take it for a learner's."""
    if out.resolve().is_relative_to(submissions.resolve()):
        why = message(
            "{out} lies among the submissions, so the next run would take it for one. Choose an --out outside {path}.",
            out=out,
            path=submissions,
        )
        raise Stop(why, lang)


def gathered(submissions: Path, roster: Path | None, lang: str) -> tuple[list[Entry], Roster]:
    """Return the submissions and the learners; raise `Stop` where there are none or they cannot be read."""
    if not submissions.is_dir() and submissions.suffix.lower() != ".zip" and not is_zipfile(submissions):
        why = message(
            "{path} is a file: expected a folder or a zip with the work of a class. One file is graded by "
            "`grader check {path}`.",
            path=submissions,
        )
        raise Stop(why, lang)
    try:
        people = read_roster(roster) if roster else Roster()
        entries, strays = find_entries(submissions, people), find_strays(submissions)
    except RosterError as error:
        raise listed(error.problems, message("The roster cannot be read."), lang) from error
    except Refused as refused:
        raise Stop(message("{path} cannot be read: {why}", path=submissions, why=refused.why), lang) from refused
    if not entries:
        raise Stop(
            message("{path} has no submissions in it: no folder, program, notebook, sheet or zip.", path=submissions),
            lang,
        )
    if strays:
        names = some([line(name, 60) for name in strays])
        click.echo(say(message("No submissions, passed over: {names}.", names=names), lang), err=True)
    outside = [entry.learner for entry in entries if entry.learner not in people.people]
    if roster and outside:
        names = some([line(name, 60) for name in dict.fromkeys(outside)])
        click.echo(say(message("Not in the roster, graded all the same: {names}.", names=names), lang), err=True)
    return entries, people


def run(class_: Class, entries: list[Entry], progress: Progress, pages: Pages, lang: str) -> None:
    """Grade on an executor, and write the pages of everybody."""
    meter = Meter(lang)
    progress.tell, progress.write = meter, pages.write
    try:
        grade_class(class_, entries, progress)
    finally:
        meter.close(progress)
    for person in class_.store.learners():
        progress.page(person.id)  # those who handed in nothing, and what a run that was ended has left behind


def faults(progress: Progress, lang: str) -> Message:
    """Print what of ours failed and return the message that ends the run."""
    for name, slug, text in progress.faults[:20]:
        last = text.strip().splitlines()[-1] if text.strip() else ""
        click.echo(f"{name}{f', {slug}' if slug else ''}: {last}", err=True)
    return message(
        "Not graded because of a fault of ours: {n}. No points were lost; the same command tries them again.",
        n=len(progress.faults),
    )
