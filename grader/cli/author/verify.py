"""`grader author verify`: proofs out, one line each; what does not hold says where and what to do."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from grader.author.proof import Proof
from grader.author.proving import Proven, Prover
from grader.cli import output
from grader.cli.grading import cache_folder
from grader.cli.opening import judges_folder
from grader.cli.options import course_option, lang_option, told
from grader.cli.stop import FAULT, NOT_REACHED, Stop, no_such, some
from grader.cli.targets import must_exist
from grader.kinds.reports.terminal import pad
from grader.locale import say
from grader.model import Message, message

FORMATS = ("text", "json")


@click.command(
    help=told(
        message(
            "Prove the exercises and quizzes named by SLUG or by the path of a file or folder, or all of the course."
        )
    )
)
@click.argument("names", metavar="[SLUG|PATH]...", nargs=-1)
@click.option("--all", "anew", is_flag=True, help=told(message("Prove anew what has not changed since it was proven.")))
@click.option("--watch", "watching", is_flag=True, help=told(message("Prove on every save, until Ctrl-C.")))
@click.option(
    "--report",
    "reports",
    metavar="FORMAT[=FILE]",
    multiple=True,
    help=told(message("text or json, shown or written to FILE; may be given several times.")),
)
@course_option
@lang_option
@click.pass_context
def verify(
    ctx: click.Context,
    names: tuple[str, ...],
    anew: bool,
    watching: bool,
    reports: tuple[str, ...],
    course: Path | None,
    lang: str,
) -> None:
    where = output.destinations(reports, FORMATS, lang)
    paths = [Path(name) for name in names if is_path(name)]
    must_exist(paths, lang)
    root = judges_folder(course, lang, above=paths[0] if paths else Path())
    cache = None if anew else cache_folder(os.environ)
    slugs = named(Prover(root), names, lang)
    if watching:
        from grader.cli.author.proving import watch

        watch(root, slugs, cache, lang)
        return
    shown = any(destination.format == "text" and destination.file is None for destination in where)
    prover = Prover(root, cache)
    found = [told_item(prover, slug, lang) if shown else prover.prove(slug) for slug in slugs or prover.files]
    if shown:
        click.echo("\n".join(summary(found, lang)))
    rest = [each for each in where if each.file is not None or each.format != "text"]
    output.deliver(rest, lambda word, style: written(found, word, style.lang), lang)
    ctx.exit(exit_code(found))


def is_path(name: str) -> bool:
    """Whether a word on the command line names a path rather than a slug."""
    return os.sep in name or name.endswith((".yaml", ".yml")) or (bool(name) and Path(name).is_dir())


def named(prover: Prover, names: Iterable[str], lang: str) -> tuple[str, ...]:
    """Return the slugs that words on the command line name, in their order; raise `Stop` for one that names none."""
    slugs: list[str] = []
    for name in names:
        if name in prover.files:
            slugs.append(name)
            continue
        if not is_path(name):
            raise no_such(name, prover.files, lang)
        path = Path(name).resolve()
        inside = [slug for slug, file in prover.files.items() if file.resolve().is_relative_to(path)]
        if not inside:
            why = message("{path} holds no exercise and no quiz of the course in {root}.", path=name, root=prover.root)
            raise Stop(why, lang)
        slugs += inside
    return tuple(dict.fromkeys(slugs))


def told_item(prover: Prover, slug: str, lang: str) -> Proven:
    """Prove an item and print its proofs as they are made."""
    click.echo(slug)
    item = prover.prove(slug, lambda proof: click.echo("  " + line(proof, lang)))
    if item.kept:
        told = message("{n} proofs hold, as before: nothing has changed since (--all proves anew)", n=item.held)
        click.echo(f"  ✓ {say(told, lang)}")
    for problem in item.problems:
        click.echo(f"  ✗ {problem}")
    return item


def line(proof: Proof, lang: str) -> str:
    """Return a proof as one line."""
    mark = "·" if proof.remark else "✓" if proof.holds else "✗"
    why = f" — {say(proof.why, lang)}" if proof.why else ""
    place = f" ({proof.place})" if proof.place else ""
    return f"{mark} {say(proof.claim, lang)}{why}{place}"


def summary(found: Sequence[Proven], lang: str) -> Iterable[str]:
    """Yield a table of what is proven and what is not, where there are several items, and the count."""
    if not found:
        empty = message("The course has nothing to prove yet. A first exercise: grader author new exercise SLUG")
        yield say(empty, lang)
        return
    if len(found) > 1:
        yield ""
        widest = max(len(item.slug) for item in found)
        for item in sorted(found, key=lambda item: item.state != "proven"):
            mark = "✓" if item.state == "proven" else "✗"
            told = ("，" if lang == "zh" else ", ").join(say(text, lang) for text in standing(item))
            yield f"{mark} {pad(item.slug, widest)}  {told}"
    counted = message(
        "{held} proofs hold, {broken} do not.", held=sum(i.held for i in found), broken=sum(i.broken for i in found)
    )
    yield say(counted, lang)
    if unread := [item.slug for item in found if item.problems]:
        yield say(message("Not proven, because a file cannot be read: {slugs}.", slugs=some(unread)), lang)


def standing(item: Proven) -> Iterable[Message]:
    """Yield what became of an item, for its row of the table."""
    if item.problems:
        yield message("cannot be read")
        return
    yield message("{n} proven", n=item.held)
    if item.broken:
        yield message("{n} not", n=item.broken)
    if item.kept:
        yield message("unchanged")
    if any(proof.elsewhere for proof in item.proofs):
        yield message("the rest by samples")


def written(found: Sequence[Proven], word: str, lang: str) -> str:
    """Return a report in a format."""
    from grader.author.proof_report import proof_report

    if word == "json":
        return proof_report(found, lang)
    rows = [row for item in found for row in (item.slug, *(f"  {line(proof, lang)}" for proof in item.proofs))]
    return "\n".join([*rows, *summary(found, lang)]) + "\n"


def exit_code(found: Sequence[Proven]) -> int:
    """Return 0 when all is proven (or there is nothing to prove), 1 when it is not, 3 for a file that cannot be read."""
    if any(item.problems for item in found):
        return FAULT
    return 0 if all(item.state == "proven" for item in found) else NOT_REACHED
