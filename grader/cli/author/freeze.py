"""`grader author freeze`: computes the draws of questions that vary, and keeps them beside their quiz."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli import output
from grader.cli.opening import judges_folder, words_around
from grader.cli.options import course_option, lang_option, told
from grader.cli.stop import Stop
from grader.kinds import speaking
from grader.locale import say
from grader.model import AuthorError, GraderError, message


@click.command(help=told(message("Draw the numbers of the questions that vary in quiz FILE, and keep them beside it.")))
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@course_option
@lang_option
def freeze(files: tuple[Path, ...], course: Path | None, lang: str) -> None:
    from grader.author.calls import caller
    from grader.author.draws import freeze as frozen
    from grader.course.folder import read_listing
    from grader.stages.expect import load_reference
    from grader.stages.spec.variants import draws_file

    root = judges_folder(course, lang, above=Path())
    call = caller(load_reference(root), read_listing(root)[0].arrays)
    words = words_around(course, lang)
    for file in files:
        try:
            with speaking(words):
                text = frozen(file, call)
        except (AuthorError, GraderError) as error:
            raise Stop(message("{what}", what=str(error)), lang) from error
        if text is None:
            click.echo(say(message("{file}: nothing in it varies.", file=file), lang))
            continue
        output.write(draws_file(file), text)
        click.echo(say(message("{file} is written.", file=draws_file(file)), lang))
