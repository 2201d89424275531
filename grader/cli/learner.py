"""`grader start`, `list`, `show`, `hint` and `reset`: what a learner does between two checks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from grader.cli.opening import find_item, open_course
from grader.cli.options import FOLDER, course_option, lang_option, told
from grader.cli.stop import Stop
from grader.course import workspace
from grader.locale import say
from grader.model import SIZES, Exercise, Quiz, Returned, message

MARKS = {"passed": "✓", "failed": "✗", "not_judged": "…"}  # every other verdict is a "!", nothing yet a "·"


def points(value: float) -> str:
    """Return a number of points without a needless `.0`."""
    return f"{value:g}"


def total(item: Exercise | Quiz) -> float:
    """Return the points that can be had."""
    return item.points if isinstance(item, Exercise) else sum(question.points for question in item.questions)


@click.command(
    help=told(message("Make a workspace in DIR: one file to edit for each exercise and quiz, and a README."))
)
@click.argument("root", metavar="[DIR]", type=FOLDER, default=".")
@course_option
@lang_option
def start(root: Path, course: Path | None, lang: str) -> None:
    from grader.stages.answers import answer_sheet

    loaded = open_course(course, lang)
    sheets = {slug: answer_sheet(quiz, lang) for slug, quiz in loaded.quizzes.items()}
    try:
        names = workspace.create(root, loaded, sheets, lang)
    except workspace.WorkExists as there:
        why = message(
            "{root} has {names} already: nothing was written. Choose another folder, or `grader reset SLUG` for one file.",
            root=root,
            names=", ".join(there.names),
        )
        raise Stop(why, lang) from there
    except OSError as error:
        raise Stop(message("{root} cannot be written: {why}.", root=root, why=error.strerror), lang) from error
    click.echo("\n".join(f"  {name}" for name in names))
    first = next((slug for module in loaded.modules for slug in module.exercises), "")
    text = message("The workspace is ready. Go into {root} and try: grader show {slug}", root=root, slug=first)
    click.echo(say(text, lang))


@click.command("list", help=told(message("List exercises and quizzes with what you reached in this workspace.")))
@course_option
@lang_option
def list_(course: Path | None, lang: str) -> None:
    loaded = open_course(course, lang)
    root = workspace.find_workspace(Path())
    standings = workspace.read_progress(root).standings if root else {}
    following = None
    for module, content in workspace.items(loaded):
        click.echo(say(module.title, lang))
        for item in content:
            standing = standings.get(item.slug)
            mark = MARKS.get(standing.verdict, "!") if standing else "·"
            score = f"{points(standing.score) if standing else '–'}/{points(total(item))}"
            click.echo(f"  {mark} {item.slug:<20} {score:>7}  {say(item.title, lang)}")
            if following is None and (standing is None or standing.verdict != "passed"):
                following = item.slug
    if following is None:
        click.echo(say(message("All done."), lang))
    else:
        click.echo(say(message("Next: grader show {slug}", slug=following), lang))


def axes(names: Returned) -> str:
    """Return `(B, H, T, D)`, with the comma that a single axis needs."""
    return names if isinstance(names, str) else f"({', '.join(map(str, names))}{',' if len(names) == 1 else ''})"


def terminal() -> Any:
    """Return a rich console on our standard output, plain where that is not a terminal."""
    from rich.console import Console

    shown = sys.stdout.isatty()
    return Console(file=sys.stdout, width=None if shown else 80, highlight=False, force_terminal=shown)


@click.command(help=told(message("Show what SLUG asks for.")))
@click.argument("slug")
@course_option
@lang_option
def show(slug: str, course: Path | None, lang: str) -> None:
    from rich.markdown import Markdown

    item = find_item(open_course(course, lang), slug, lang)
    console = terminal()
    heading = message("{title} · {points} points", title=item.title, points=points(total(item)))
    console.print(say(heading, lang), style="bold", markup=False)
    console.print()
    if isinstance(item, Exercise):
        console.print(f"def {item.signature}", markup=False)
        console.print()
        console.print(Markdown(say(item.prompt, lang)))
        console.print()
        for line in shapes(item, lang):
            console.print(line, markup=False)
        following = message("Then: grader check {file} · stuck: grader hint {slug}", file=f"{slug}.py", slug=slug)
    else:
        console.print(Markdown(say(item.intro, lang)))
        console.print()
        console.print(say(message("{n} questions.", n=len(item.questions)), lang))
        following = message(
            "Then: grader quiz {slug}, or fill in {file} and grader check {file}", slug=slug, file=f"{slug}.yaml"
        )
    console.print(say(following, lang), markup=False)


def shapes(exercise: Exercise, lang: str) -> list[str]:
    """Return lines that say which axes go in and out, and in which cases the function is tried."""
    lines = [f"  {name}: {axes(kind.axes)}" for name, kind in exercise.inputs.items() if kind.axes]
    for name, returned in exercise.returns.items():
        shown = say(message("a tuple of whole numbers"), lang) if returned == SIZES else axes(returned)
        lines.append(f"  → {name + ': ' if name else ''}{shown}")
    open_ = [case.name for case in exercise.cases if not case.hidden]
    hidden = len(exercise.cases) - len(open_)
    text = message("Cases: {names}; and {hidden} hidden.", names=", ".join(open_), hidden=hidden)
    return [*lines, "", say(text, lang)]


@click.command(help=told(message("Show the next hint for SLUG, or hint NUMBER.")))
@click.argument("slug")
@click.argument("number", type=click.IntRange(min=1), required=False)
@course_option
@lang_option
def hint(slug: str, number: int | None, course: Path | None, lang: str) -> None:
    item = find_item(open_course(course, lang), slug, lang)
    hints = item.hints if isinstance(item, Exercise) else tuple(h for q in item.questions for h in q.hints)
    if not hints:
        raise Stop(message("{slug} has no hints.", slug=slug), lang)
    root = workspace.find_workspace(Path())
    given = workspace.read_progress(root).hints.get(slug, 0) if root else 0
    chosen = min(number or given + 1, len(hints))
    if root:
        workspace.record_hint(root, slug, chosen)
    click.echo(say(message("Hint {n} of {of}: {text}", n=chosen, of=len(hints), text=hints[chosen - 1]), lang))
    if not number and given >= len(hints):
        click.echo(say(message("There are no more. Earlier ones: grader hint {slug} 1", slug=slug), lang))
    elif not number and not root:
        click.echo(
            say(
                message("Nothing is remembered outside a workspace: grader hint {slug} 2 shows the next.", slug=slug),
                lang,
            )
        )


@click.command(help=told(message("Put the file of SLUG back to its starter; what you wrote is kept as a backup.")))
@click.argument("slug")
@course_option
@lang_option
def reset(slug: str, course: Path | None, lang: str) -> None:
    item = find_item(open_course(course, lang), slug, lang)
    root = workspace.find_workspace(Path())
    if root is None:
        raise Stop(message("This is not a workspace. `grader start DIR` makes one."), lang)
    if isinstance(item, Exercise):
        text = workspace.starter(item, lang)
    else:
        from grader.stages.answers import answer_sheet

        text = answer_sheet(item, lang)
    name = workspace.file_name(item)
    try:
        backup = workspace.reset(root, name, text)
    except OSError as error:
        raise Stop(message("{name} cannot be put back: {why}.", name=name, why=error.strerror), lang) from error
    click.echo(say(message("{name} is the starter again.", name=name), lang))
    if backup:
        click.echo(say(message("What you had is kept in {backup}.", backup=backup.relative_to(root)), lang))
