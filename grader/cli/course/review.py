"""`grader course review`: the answers that wait for a person, one after another, one key for each."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from grader.cli.course.opening import Graded, open_graded, tell_changed
from grader.cli.course.regrade import rewrite_pages
from grader.cli.options import FOLDER, course_option, lang_option, told
from grader.cli.output import width
from grader.course.batch import Progress
from grader.course.regrade import write_standings
from grader.course.review import Waiting, points_of, queue
from grader.kinds.reports.escape import lines
from grader.kinds.reports.terminal import wrap
from grader.kinds.reports.view import spoken
from grader.locale import say
from grader.model import Message, message
from grader.stages.paragraphs import paragraphs

MARK, SKIP, BACK, QUIT = "mark", "skip", "back", "quit"
KEYS = {
    **dict.fromkeys(("s", " ", "\r", "\n"), SKIP),
    "b": BACK,
    **dict.fromkeys(("q", "\x03", "\x04", "\x1b", ""), QUIT),
}


@click.command(
    help=told(
        message(
            "Read and mark the free answers of the class in DIR. Every mark is kept at once; stop and go on at any time."
        )
    )
)
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option("--names", is_flag=True, help=told(message("Show whose answer it is.")))
@click.option("--again", is_flag=True, help=told(message("Show those that have a mark, too.")))
@course_option
@lang_option
def review(folder: Path, names: bool, again: bool, course: Path | None, lang: str) -> None:
    with open_graded(folder, course, lang, writing=True) as graded:
        tell_changed(graded, lang)
        found = queue(graded.store, graded.book)
        waiting = [one for one in found if again or one.points is None]
        if not waiting:
            click.echo(say(message("No answer waits for a person."), lang))
            return
        marked = _sitting(graded, waiting, names, lang)
        left = sum(one.points is None for one in queue(graded.store, graded.book))
        if marked:
            write_standings(graded.store, graded.book)
            rewrite_pages(graded, Progress(0), lang)
        click.echo(say(message("Marked: {marked}. Still waiting: {left}.", marked=marked, left=left), lang))


def _sitting(graded: Graded, waiting: list[Waiting], names: bool, lang: str) -> int:
    """Ask for a key for each answer; return how many marks were given."""
    given: set[tuple[str, str, str, str]] = set()
    at = 0
    while at < len(waiting):
        one = waiting[at]
        _show(one, at, len(waiting), names, lang, asks=at == 0 or waiting[at - 1].question.id != one.question.id)
        step, points = _ask(one, lang)
        if step == QUIT:
            break
        if points is not None:
            graded.store.mark(*one.key, points, one.question.points, "")
            given.add(one.key)
        at = max(0, at - 1) if step == BACK else at + 1
    return len(given)


def _ask(one: Waiting, lang: str) -> tuple[str, float | None]:
    """Return what to do after a key, and the points that it gives."""
    most = one.question.points
    scale = f"0–{most:g}" if most <= 9 else "0–9"
    tenths = (
        message("{scale} points", scale=scale)
        if most <= 9
        else message("{scale} tenths of {most} points", scale=scale, most=f"{most:g}")
    )
    _put(message("{points} · f full · s skip · b back · q quit", points=tenths), lang)
    while True:
        try:
            key = click.getchar() if sys.stdin.isatty() else sys.stdin.read(1)
        except (KeyboardInterrupt, EOFError):
            return QUIT, None
        points = points_of(key, most)
        if points is not None:
            _put(message("{points} of {most}", points=f"{points:g}", most=f"{most:g}"), lang)
            return MARK, points
        if key.lower() in KEYS:
            return KEYS[key.lower()], None


def _show(one: Waiting, at: int, of: int, names: bool, lang: str, *, asks: bool) -> None:
    click.echo()
    _put(message("{at} of {of} · {slug} · {id}", at=at + 1, of=of, slug=one.slug, id=one.question.id), lang)
    if names:
        _put(message("Learner: {name}", name="".join(lines(one.learner)[:1])), lang)
    if asks:
        for paragraph in paragraphs(say(one.question.prompt, lang)):
            _lines(paragraph, "  ")
        for number, point in enumerate(one.rubric, 1):
            _lines(f"({number}) {spoken(point, lang)}", "  ")
        if one.model_answer is not None:
            _lines(say(message("Compare with: {model}", model=one.model_answer), lang), "  ")
    click.echo()
    for text in lines(str(one.answer), 200):
        _lines(text, "> ")
    for flag in one.flags:
        _lines(f"! {spoken(flag, lang)}", "  ")
    if one.points is not None:
        _put(message("so far: {points} of {most}", points=f"{one.points:g}", most=f"{one.question.points:g}"), lang)


def _lines(text: str, indent: str) -> None:
    for row in wrap(text, width(), indent, indent) or [indent.rstrip()]:
        click.echo(row)


def _put(text: Message, lang: str) -> None:
    click.echo(say(text, lang))
