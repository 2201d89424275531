"""`grader start`: a course in, a folder to work in out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from grader.cli.onward import onward
from grader.cli.opening import open_course
from grader.cli.options import FOLDER, course_option, lang_option, told
from grader.cli.stop import Stop
from grader.course import workspace
from grader.locale import say
from grader.model import Message, message


@click.command(
    help=told(message("Make a workspace in DIR: one file to edit for each exercise and quiz, and a README."))
)
@click.argument("root", metavar="[DIR]", type=FOLDER, default=".")
@course_option
@lang_option
def start(root: Path, course: Path | None, lang: str) -> None:
    from grader.stages.draws import any_draw
    from grader.stages.sheet import answer_sheet

    if outer := workspace.find_workspace(root.resolve().parent):
        why = message(
            "{root} would lie inside the workspace {outer}, whose checks would then find every file twice. Choose a folder outside.",
            root=root,
            outer=outer,
        )
        raise Stop(why, lang)
    loaded = open_course(course, lang)
    sheets = {slug: answer_sheet(quiz, lang, draw=any_draw(quiz)) for slug, quiz in loaded.quizzes.items()}
    try:
        names = workspace.create(root, loaded, sheets, lang)
    except workspace.WorkExists as there:
        why = message(
            "{root} has {names} already: nothing was written. Choose another folder, or `grader reset SLUG` for one file.",
            root=root,
            names=few(there.names),
        )
        raise Stop(why, lang) from there
    except OSError as error:
        raise Stop(message("{root} cannot be written: {why}.", root=root, why=error.strerror), lang) from error
    click.echo("\n".join(f"  {name}" for name in names))
    first = next(item.slug for _, content in workspace.items(loaded) for item in content)
    slug = onward(first, elsewhere=True)
    text = message("The workspace is ready. Go into {root} and try: grader show {slug}", root=root, slug=slug)
    if root.resolve() == Path.cwd():
        text = message("The workspace is ready. Try: grader show {slug}", slug=onward(first))
    click.echo(say(text, lang))


def few(names: Sequence[str], most: int = 4) -> Message:
    """Return the first names of many, and how many more there are."""
    shown = ", ".join(names[:most])
    if len(names) <= most:
        return message("{names}", names=shown)
    return message("{names} and {n} more", names=shown, n=len(names) - most)
