"""`grader author doctor`: a look over a course folder; each finding with its place and a remedy."""

from __future__ import annotations

import os
from pathlib import Path

import click

from grader.cli.opening import judges_folder
from grader.cli.options import course_option, lang_option, told
from grader.cli.stop import NOT_REACHED, harmless
from grader.locale import say
from grader.model import message


@click.command(
    help=told(
        message("Look over a course folder: what is missing, unused or out of step, with the place and a remedy.")
    )
)
@course_option
@lang_option
@click.pass_context
def doctor(ctx: click.Context, course: Path | None, lang: str) -> None:
    from grader.author.doctor import look_over

    root = judges_folder(course, lang, above=Path())
    found = look_over(root, os.environ)
    for one in found:
        click.echo(harmless(f"{'✗' if one.mend else '·'} {one.place}: {say(one.what, lang)}"))
        click.echo(f"  → {harmless(say(one.remedy, lang))}")
    mend = sum(one.mend for one in found)
    if mend:
        click.echo(say(message("To mend: {n}. Worth a look: {m}.", n=mend, m=len(found) - mend), lang))
        ctx.exit(NOT_REACHED)
    click.echo(
        say(message("✓ Nothing to mend in {root}. Worth a look: {m}.", root=root.resolve().name, m=len(found)), lang)
    )
