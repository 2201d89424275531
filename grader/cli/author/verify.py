"""`grader author verify`: proofs out, one line each; what does not hold says what to do."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

import click

from grader.author.proof import Proof
from grader.author.verify import verify as proofs
from grader.cli.opening import course_folder, find_item
from grader.cli.options import course_option, lang_option, told
from grader.cli.stop import NOT_REACHED
from grader.course.folder import load_course, load_course_mistakes
from grader.locale import say
from grader.model import message


@click.command(help=told(message("Prove the exercises and quizzes named by SLUG, or all of the course.")))
@click.argument("slugs", metavar="[SLUG]...", nargs=-1)
@course_option
@lang_option
@click.pass_context
def verify(ctx: click.Context, slugs: tuple[str, ...], course: Path | None, lang: str) -> None:
    loaded = load_course(course_folder(course, lang, above=Path()))
    for slug in slugs:
        find_item(loaded, slug, lang)
    if not tell(proofs(loaded, load_course_mistakes(Path(loaded.root)), slugs), lang):
        ctx.exit(NOT_REACHED)


def tell(found: Iterable[Proof], lang: str) -> bool:
    """Print proofs as they come, grouped by slug; return whether all hold."""
    broken = held = 0
    for slug, group in groupby(found, key=lambda proof: proof.slug):
        click.echo(slug)
        for proof in group:
            broken, held = broken + (not proof.holds), held + proof.holds
            why = f" — {say(proof.why, lang)}" if proof.why else ""
            click.echo(f"  {'✓' if proof.holds else '✗'} {say(proof.claim, lang)}{why}")
    click.echo(say(message("{held} proofs hold, {broken} do not.", held=held, broken=broken), lang))
    return not broken and held > 0
