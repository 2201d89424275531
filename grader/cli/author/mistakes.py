"""`grader author mistakes`: every known mistake, and the exercises that catch it."""

from __future__ import annotations

from pathlib import Path

import click

from grader.author.table import mistakes_page
from grader.cli.opening import judges_folder
from grader.cli.options import course_option, lang_option, told
from grader.cli.output import write
from grader.course.folder import load_course, load_course_mistakes
from grader.model import message


@click.command(help=told(message("List every known mistake with the exercises that catch it, or why none does.")))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help=told(message("The file to write; shown unless given.")),
)
@course_option
@lang_option
def mistakes(out: Path | None, course: Path | None, lang: str) -> None:
    root = judges_folder(course, lang, above=Path())
    page = mistakes_page(load_course(root), load_course_mistakes(root), lang)
    if out is None:
        click.echo(page.rstrip("\n"))
    else:
        write(out, page)
