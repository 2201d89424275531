"""`grader author mutate`: wrong answers that an exercise would give full marks to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli import output
from grader.cli.opening import find_item, judges_folder
from grader.cli.options import course_option, lang_option, told
from grader.cli.stop import FAULT, NOT_REACHED, UNAVAILABLE, Stop
from grader.course.folder import load_course
from grader.model import Course, Exercise, GraderError, IsolationUnavailable, message

if TYPE_CHECKING:
    from grader.author.mutate import Search

FORMATS = ("text", "json", "markdown")


@click.command(
    help=told(
        message(
            "Search for wrong answers that pass in the exercises named by SLUG, or in all of the course: the reference is broken in "
            "many small ways, and each is graded. What may pass all the same stands with its reason in reference_impl/may_pass.yaml."
        )
    )
)
@click.argument("slugs", metavar="[SLUG]...", nargs=-1)
@click.option(
    "--seed", type=int, default=0, show_default=True, help=told(message("Draws the cases and the fresh inputs."))
)
@click.option("--pairs", is_flag=True, help=told(message("Try every two known mistakes at once, too. Takes long.")))
@click.option(
    "--report",
    "reports",
    metavar="FORMAT[=FILE]",
    multiple=True,
    help=told(
        message(
            "text, json or markdown, shown or written to FILE; may be given several times. A Markdown page that is there keeps the rows "
            "of exercises not searched now."
        )
    ),
)
@course_option
@lang_option
@click.pass_context
def mutate(
    ctx: click.Context,
    slugs: tuple[str, ...],
    seed: int,
    pairs: bool,
    reports: tuple[str, ...],
    course: Path | None,
    lang: str,
) -> None:
    where = output.destinations(reports, FORMATS, lang)
    loaded = load_course(judges_folder(course, lang, above=Path()))
    named = [find_item(loaded, slug, lang) for slug in slugs]
    quizzes = [item.slug for item in named if not isinstance(item, Exercise)]
    if quizzes:
        raise Stop(message("{slug} is a quiz: only exercises have a reference to break.", slug=quizzes[0]), lang)
    if not loaded.exercises:
        raise Stop(message("The course has no exercise yet: there is nothing to search."), lang)
    if seed < 0:
        raise Stop(message("--seed {seed}: give a number from 0 on.", seed=seed), lang)
    exercises = [item for item in named if isinstance(item, Exercise)] or list(loaded.exercises.values())
    shown = any(each.format == "text" and each.file is None for each in where)
    found = _searched(exercises, loaded, seed, pairs, lang, shown)

    from grader.author.mutate.told import total

    if shown:
        click.echo(total(found, lang))
    pages = [each.file for each in where if each.format == "markdown" and each.file is not None]
    before = _as_it_was(pages[0]) if pages else ""
    rest = [each for each in where if each.file is not None or each.format != "text"]
    output.deliver(rest, lambda word, style: _render(word, found, style.lang, before, loaded), lang)
    if any(each.hollow for each in found):
        ctx.exit(NOT_REACHED)


def _as_it_was(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""


def _render(word: str, found: Sequence[Search], lang: str, before: str, course: Course) -> str:
    from grader.author.mutate.page import as_markdown
    from grader.author.mutate.told import as_json, as_text

    if word == "markdown":
        return as_markdown(found, lang, before, course.exercises)
    return {"text": as_text, "json": as_json}[word](found, lang)


def _searched(
    exercises: Sequence[Exercise], course: Course, seed: int, pairs: bool, lang: str, shown: bool
) -> list[Search]:
    """Search one exercise after the other and print what is found as it comes; raise `Stop` where that cannot be done."""
    from grader.author.mutate import Settings, search
    from grader.author.mutate.allowed import load_allowed
    from grader.author.mutate.told import lines
    from grader.stages.expect import FOLDER, load_reference

    root, found = Path(course.root), []
    settings = Settings(root, root / FOLDER, seed, pairs, allowed=load_allowed(root, course.exercises))
    try:
        reference = load_reference(root)
        for exercise in exercises:
            if shown:
                click.echo(exercise.slug)
            found.append(search(exercise, reference, settings))
            if shown:
                click.echo("\n".join(lines(found[-1], lang)))
    except GraderError as error:
        raise Stop(message("{what}", what=str(error)), lang, FAULT) from error
    except IsolationUnavailable as error:
        raise Stop(error.why, lang, UNAVAILABLE) from error
    return found
