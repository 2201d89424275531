"""`grader author schema`: the JSON Schemas that the models of course files give, for editors."""

from __future__ import annotations

import json
from pathlib import Path

import click

from grader.author.schema import schemas
from grader.cli.opening import words_around
from grader.cli.options import FOLDER, course_option, lang_option, told
from grader.cli.output import write
from grader.kinds import speaking
from grader.model import message


@click.command(
    help=told(message("Print the JSON Schemas of exercise, quiz and course files, or write them into a folder."))
)
@click.option("--out", type=FOLDER, metavar="DIR", help=told(message("The folder to write them into.")))
@course_option
@lang_option
def schema(out: Path | None, course: Path | None, lang: str) -> None:
    with speaking(words_around(course, lang)):
        made = schemas()
    if out is None:
        click.echo(json.dumps({name: json.loads(text) for name, text in made.items()}, indent=1, ensure_ascii=False))
        return
    out.mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        write(out / name, text)
