"""`grader course regrade`: a class that was graded and a course that has changed in, who gains and who loses out."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

import click

from grader.cli.check import usable
from grader.cli.course.grade import faults
from grader.cli.course.opening import SETTINGS, Graded, open_graded, setup_of
from grader.cli.course.progress import Meter
from grader.cli.grading import secret_of
from grader.cli.options import FOLDER, course_option, lang_option, told
from grader.cli.stop import FAULT, Stop
from grader.course.batch import Class, Progress
from grader.course.batch.identity import versions_of
from grader.course.batch.pages import Pages
from grader.course.batch.tasks import close_all, isolation_of
from grader.course.gradebook.csvs import number
from grader.course.regrade import Change, changes, stage, write_standings
from grader.kinds.reports.escape import line
from grader.locale import say
from grader.model import message


@click.command(
    help=told(message("Grade the class in DIR again where its course has changed; without --apply nothing is written."))
)
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option("--apply", is_flag=True, help=told(message("Let the new points count.")))
@click.option(
    "--jobs", type=click.IntRange(1, 256), help=told(message("How many at once; as many as there are cores."))
)
@course_option
@lang_option
def regrade(folder: Path, apply: bool, jobs: int | None, course: Path | None, lang: str) -> None:
    with open_graded(folder, course, lang, writing=True) as graded:
        progress = Progress(len(graded.store.attempts()))
        _stage(graded, progress, jobs or os.cpu_count() or 1, lang)
        tell(changes(graded.store, graded.book), lang)
        if progress.faults:
            raise Stop(faults(progress, lang), lang, FAULT)
        if not apply:
            click.echo(say(message("Nothing was changed. Add --apply to let these points count."), lang))
            return
        graded.store.unstage(apply=True)
        if course:  # from now on it is the one of this class
            graded.store.remember(SETTINGS, json.dumps({**graded.settings, "course": str(course.resolve())}))
        write_standings(graded.store, graded.book)
        rewrite_pages(graded, progress, lang)
        if progress.faults:
            raise Stop(faults(progress, lang), lang, FAULT)
        click.echo(say(message("The new points count."), lang))


def _stage(graded: Graded, progress: Progress, jobs: int, lang: str) -> None:
    setup = setup_of(graded)
    usable(setup.device, lang)
    versions = versions_of(graded.course, seed=setup.seed, secret=setup.secret, device=setup.device, level=setup.level)
    progress.tell = meter = Meter(lang)
    try:
        with ThreadPoolExecutor(jobs) as executor:
            stage(Class(graded.store, setup, versions, graded.book.wanted, executor, jobs), progress)
    finally:
        meter.close(progress)
        close_all()


def rewrite_pages(graded: Graded, progress: Progress, lang: str) -> None:
    """Write the pages of all learners for whom anything is different."""
    setup = setup_of(graded)
    _, note = secret_of(graded.course, os.environ)
    try:
        held = isolation_of(setup)
    finally:
        close_all()
    pages = Pages(graded.store, graded.book, held, setup.device, setup.seed, lang, (note,) if note else ())
    progress.write = pages.write
    for person in graded.store.learners():
        progress.page(person.id)


def tell(found: Iterable[Change], lang: str) -> None:
    """Print who gains and who loses, and why; the last lines count them. Who gains is a matter of the total alone."""
    gained = lost = same = 0
    for learner, group in groupby(found, key=lambda change: change.learner):
        click.echo(line(learner, 80))
        total = None
        for change in group:
            if not change.slug:
                total = change
                continue
            why = "; ".join(say(reason, lang) for reason in change.reasons)
            before, after = _of(change)
            click.echo(f"  {change.slug}: {before} → {after}{f'  ({line(why)})' if why else ''}")
        if total is None:
            same += 1
            continue
        gained, lost = gained + total.gained, lost + (not total.gained)
        click.echo(f"  {say(message('total'), lang)}: {_points(total.before)} % → {_points(total.after)} %")
    click.echo(say(message("Learners who gain: {gained}, who lose: {lost}.", gained=gained, lost=lost), lang))
    if same:
        click.echo(say(message("Learners with other points and the same total in percent: {n}.", n=same), lang))


def _of(change: Change) -> tuple[str, str]:
    """Return the points before and after, with their maxima where these are others now."""
    before, after = _points(change.before), _points(change.after)
    if change.maxima is None:
        return before, after
    return f"{before}/{number(change.maxima[0])}", f"{after}/{number(change.maxima[1])}"


def _points(value: float | None) -> str:
    return "–" if value is None else number(value)
