"""`grader course stats`: a graded class in, a web page about it out."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.course.opening import open_graded, tell_changed
from grader.cli.options import FOLDER, course_option, lang_option, told
from grader.cli.output import write
from grader.cli.stop import Stop
from grader.course.folder import load_course_mistakes
from grader.course.stats import statistics
from grader.course.stats.page import page
from grader.kinds.reports.escape import line
from grader.locale import say
from grader.model import message

MOST = 5


@click.command(
    help=told(message("Show scores, how hard and how telling each exercise is, and which mistakes are frequent."))
)
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help=told(message("The page to write; stats.html in DIR unless given.")),
)
@course_option
@lang_option
def stats(folder: Path, out: Path | None, course: Path | None, lang: str) -> None:
    with open_graded(folder, course, lang) as graded:
        tell_changed(graded, lang)
        found = statistics(graded.store, graded.book)
        text = page(found, graded.course, load_course_mistakes(Path(graded.course.root)), lang)
    file = out or folder / "stats.html"
    try:
        write(file, text)
    except OSError as error:
        raise Stop(message("{file} cannot be written: {why}.", file=file, why=error.strerror), lang) from error
    for item in found.items:
        shown = "–" if item.discrimination is None else f"{item.discrimination:.2f}"
        told_item = message("{slug}: {share} % of the points on average, discrimination {telling}, {n} learners",
                            slug=item.slug, share=f"{100 * item.difficulty:.0f}", telling=shown, n=item.learners)  # fmt: skip
        click.echo(say(told_item, lang))
    for seen in found.mistakes[:MOST]:
        names = " + ".join(seen.mistakes)
        click.echo(
            say(
                message(
                    "{mistake}: found in the work of {n}, still there in {now}",
                    mistake=line(names),
                    n=seen.learners,
                    now=seen.now,
                ),
                lang,
            )
        )
    click.echo(say(message("Written: {file}", file=file), lang))
