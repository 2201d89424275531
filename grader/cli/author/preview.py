"""`grader author preview`: all that a learner will see of an exercise or a quiz, as one page that needs no network."""

from __future__ import annotations

import os
from pathlib import Path

import click

from grader.cli.opening import find_item, judges_folder
from grader.cli.options import course_option, lang_option, told
from grader.cli.output import write
from grader.cli.stop import FAULT, Stop
from grader.locale import say
from grader.model import Exercise, GraderError, message


@click.command(
    help=told(
        message("Make a page of what the learner will see of SLUG: task, hints, and the report for each mistake.")
    )
)
@click.argument("slug")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help=told(message("The file to write; SLUG.preview.html unless given.")),
)
@course_option
@lang_option
def preview(slug: str, out: Path | None, course: Path | None, lang: str) -> None:
    from grader.author.preview import file_name, preview_exercise, preview_quiz
    from grader.cli.grading import cache_folder
    from grader.course.folder import load_course_mistakes
    from grader.course.lazily import open_course_lazily
    from grader.stages.expect import load_reference

    root = judges_folder(course, lang, above=Path())
    opened = open_course_lazily(root)
    item = find_item(opened, slug, lang)
    try:
        if isinstance(item, Exercise):
            mistakes, cache = load_course_mistakes(root), cache_folder(os.environ)
            page = preview_exercise(opened, item, load_reference(root), mistakes, lang, cache)
        else:
            page = preview_quiz(item, lang)
    except GraderError as error:
        advice = message("{what}. grader author verify {slug} says where.", what=str(error), slug=slug)
        raise Stop(advice, lang, FAULT) from error
    file = out or Path(file_name(slug))
    try:
        write(file, page)
    except OSError as error:
        raise Stop(message("{file} cannot be written: {why}.", file=file, why=error.strerror), lang) from error
    click.echo(say(message("{file} is written. Open it in a browser.", file=file), lang))
