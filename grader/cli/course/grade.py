"""`grader course grade`: submissions in, a store with one record for each of them out, and pages for the learners."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

import click

from grader.cli.check import LEVELS
from grader.cli.course.opening import SETTINGS, book_of, listed, open_store
from grader.cli.course.progress import Meter
from grader.cli.course.summary import summary
from grader.cli.grading import secret_of
from grader.cli.opening import course_folder
from grader.cli.options import FOLDER, course_option, lang_option, told
from grader.cli.stop import FAULT, Stop, no_such
from grader.cli.targets import must_exist
from grader.course.batch import Class, Progress, grade_class
from grader.course.batch.identity import versions_of
from grader.course.batch.pages import Pages
from grader.course.batch.tasks import Setup, close_all, course_at, isolation_of
from grader.course.downloads import Entry, Roster, RosterError, Wanted, find_entries, read_roster
from grader.course.regrade import write_standings
from grader.course.store import Store
from grader.model import Message, message
from grader.stages.intake import Refused

Engine = Callable[[int], Executor]
"""What makes the executor that grades, for so many tasks at once."""


@click.command(help=told(message("Grade the submissions of a class: a folder or zip, one folder or file a learner.")))
@click.argument("submissions", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=FOLDER, metavar="DIR", help=told(message("Where records and pages are kept."))
)
@click.option(
    "--jobs", type=click.IntRange(1, 256), help=told(message("How many at once; as many as there are cores."))
)
@click.option(
    "--exercise", "slugs", multiple=True, metavar="SLUG", help=told(message("Only this one; may be repeated."))
)
@click.option("--roster", type=click.Path(dir_okay=False, path_type=Path), help=told(message("A CSV of the learners.")))
@click.option("--seed", type=click.IntRange(0), default=0, help=told(message("What the cases are drawn from.")))
@click.option(
    "--isolation", type=click.Choice(LEVELS), default="strict", help=told(message("What holds learners' code."))
)
@course_option
@lang_option
@click.pass_context
def grade(
    ctx: click.Context,
    submissions: Path,
    out: Path,
    jobs: int | None,
    slugs: tuple[str, ...],
    roster: Path | None,
    seed: int,
    isolation: str,
    course: Path | None,
    lang: str,
) -> None:
    must_exist((submissions, *([roster] if roster else [])), lang)
    root = course_folder(course, lang).resolve()
    loaded, _ = course_at(root)
    for slug in slugs:
        if slug not in (known := (*loaded.exercises, *loaded.quizzes)):
            raise no_such(slug, known, lang)
    entries, people = gathered(submissions, roster, lang)
    secret, note = secret_of(loaded, os.environ)
    setup = Setup(root, seed, "cpu", isolation, secret, out / "cache")
    held = isolation_of(setup)  # before anything is written: what cannot be held is not run
    with open_store(out, lang, writing=True) as store:
        store.enrol(people.people.values())
        settings = {"course": str(root) if course else "", "exercises": slugs, "seed": seed, "level": isolation}
        store.remember(SETTINGS, json.dumps(settings))
        book = book_of(store, loaded, slugs, lang)
        pages = Pages(store, book, held, setup.device, seed, lang, (note,) if note else ())
        progress = Progress(len(entries))
        run(store, setup, entries, progress, pages, jobs or os.cpu_count() or 1, lang)
        write_standings(store, book)
        click.echo(summary(store, book, lang))
    if progress.faults:
        raise Stop(faults(progress, lang), lang, FAULT)


def gathered(submissions: Path, roster: Path | None, lang: str) -> tuple[list[Entry], Roster]:
    """Return the submissions and the learners; raise `Stop` where there are none or they cannot be read."""
    try:
        people = read_roster(roster) if roster else Roster()
        entries = find_entries(submissions, people)
    except RosterError as error:
        raise listed(error.problems, message("The roster cannot be read."), lang) from error
    except Refused as refused:
        raise Stop(message("{path} cannot be read: {why}", path=submissions, why=refused.why), lang) from refused
    except NotADirectoryError as error:
        raise Stop(message("{path} is no folder and no zip.", path=submissions), lang) from error
    if not entries:
        raise Stop(
            message("{path} has no submissions in it: no folder, program, notebook, sheet or zip.", path=submissions),
            lang,
        )
    return entries, people


def run(
    store: Store,
    setup: Setup,
    entries: list[Entry],
    progress: Progress,
    pages: Pages,
    jobs: int,
    lang: str,
    engine: Engine = ThreadPoolExecutor,
) -> None:
    """Grade on an executor: threads that each hold a warm sandbox, unless another engine is given."""
    course, _ = course_at(setup.root)
    versions = versions_of(course, seed=setup.seed, secret=setup.secret, device=setup.device, level=setup.level)
    meter = Meter(lang)
    progress.tell, progress.write = meter, pages.write
    try:
        with engine(jobs) as executor:
            wanted = Wanted.of(course, pages.book.wanted.slugs)
            grade_class(Class(store, setup, versions, wanted, executor, jobs), entries, progress)
    finally:
        meter.close(progress)
        close_all()
    for person in store.learners():
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
