"""`grader course gradebook`: a graded class in, its grades out, for a spreadsheet, Canvas or Moodle."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from grader.cli.course.opening import Graded, listed, open_graded, tell_changed
from grader.cli.options import FOLDER, course_option, lang_option, told
from grader.cli.output import write
from grader.cli.stop import NOT_REACHED, Stop, no_such
from grader.course.gradebook import rows
from grader.course.gradebook.canvas import TOTAL, Filled, SheetError, fill_canvas
from grader.course.gradebook.moodle import fill_moodle
from grader.course.gradebook.sheet import gradebook as sheet
from grader.locale import say
from grader.model import message

FILE = click.Path(dir_okay=False, exists=True, path_type=Path)


@click.command(help=told(message("Write the grades of a class that was graded into DIR.")))
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help=told(message("The file to write; shown unless given.")),
)
@click.option(
    "--canvas", type=FILE, metavar="FILE", help=told(message("Fill this gradebook that was exported from Canvas."))
)
@click.option(
    "--moodle", type=FILE, metavar="FILE", help=told(message("Make an import for Moodle, checked against this export."))
)
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="SLUG=TITLE",
    help=told(message("Which column an exercise or quiz goes into; `total` is one too.")),
)
@click.option(
    "--max",
    "most",
    type=click.FloatRange(0, min_open=True),
    default=100.0,
    help=told(message("The maximum of each item in Moodle.")),
)
@course_option
@lang_option
def gradebook(
    folder: Path,
    out: Path | None,
    canvas: Path | None,
    moodle: Path | None,
    columns: tuple[str, ...],
    most: float,
    course: Path | None,
    lang: str,
) -> None:
    if canvas and moodle:
        raise Stop(message("Give one of --canvas and --moodle."), lang)
    with open_graded(folder, course, lang) as graded:
        named = _named(columns, graded, lang)
        tell_changed(graded, lang)
        try:
            filled = _filled(graded, canvas, moodle, named, most)
        except SheetError as error:
            raise listed(error.problems, message("Nothing was written."), lang, NOT_REACHED) from error
    for note in filled.notes:
        click.echo(say(note, lang), err=True)
    if out is None:
        click.echo(filled.text, nl=False)
        return
    try:
        write(out, filled.text)
    except OSError as error:
        raise Stop(message("{file} cannot be written: {why}.", file=out, why=error.strerror), lang) from error


def _filled(graded: Graded, canvas: Path | None, moodle: Path | None, named: Mapping[str, str], most: float) -> Filled:
    made = rows(graded.store, graded.book)
    if canvas:
        return fill_canvas(canvas, made, graded.book, named)
    if moodle:
        return fill_moodle(moodle, made, graded.book, named, most)
    return Filled(sheet(made, graded.book), ())


def _named(columns: tuple[str, ...], graded: Graded, lang: str) -> dict[str, str]:
    """Read `--column SLUG=TITLE`."""
    known = (*graded.book.wanted.slugs, TOTAL)
    found = {}
    for value in columns:
        slug, equals, title = value.partition("=")
        if slug not in known:
            raise no_such(slug, known, lang)
        if not equals or not title:
            raise Stop(message("--column {value}: a title is missing after the equals sign.", value=value), lang)
        found[slug] = title
    return found
