"""`grader author words`: what may stand in the files of a course, and the formats of reports."""

from __future__ import annotations

from pathlib import Path

import click

from grader.author.words import VOCABULARIES, described, table, with_words
from grader.cli.opening import words_around
from grader.cli.options import course_option, lang_option, told
from grader.cli.output import write
from grader.cli.stop import Stop, no_such
from grader.kinds import speaking
from grader.model import message


@click.command(
    help=told(
        message(
            "Print the words that may stand in YAML, each with its options and what it is; of one WORD all, with an example."
        )
    )
)
@click.argument("sort", type=click.Choice(list(VOCABULARIES)), required=False)
@click.argument("word", required=False)
@click.option(
    "--update",
    "files",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help=told(message("Bring the tables in a Markdown file up to date instead.")),
)
@course_option
@lang_option
def words(sort: str | None, word: str | None, files: tuple[Path, ...], course: Path | None, lang: str) -> None:
    with speaking(words_around(course, lang)):
        for file in files:
            if not file.is_file():
                raise Stop(message("{path} is not there.", path=file), lang)
            write(file, with_words(file.read_text(encoding="utf-8")))
        if sort and word:
            if word not in VOCABULARIES[sort]:
                raise no_such(word, VOCABULARIES[sort], lang)
            click.echo(described(sort, word).rstrip("\n"))
        elif not files:
            tables = [f"# {name}\n\n{table(name)}" for name in VOCABULARIES if sort in (None, name)]
            click.echo("\n".join(tables).rstrip("\n"))
