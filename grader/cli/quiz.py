"""`grader quiz`: asks the questions of a quiz in the terminal, keeps the answers in the answer sheet, and grades it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import click

from grader.cli import output
from grader.cli.onward import onward, pointing_onward
from grader.cli.opening import find_item, open_course
from grader.cli.options import course_option, lang_option, told
from grader.cli.stop import NOT_REACHED, Stop, harmless
from grader.course import workspace
from grader.locale import say
from grader.model import Isolation, Quiz, Response, message

WIDEST = 100


@click.command(
    help=told(
        message("Answer SLUG in the terminal. Answers are kept in its answer sheet after each question, then graded.")
    )
)
@click.argument("slug")
@click.option(
    "--sheet",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help=told(message("The answer sheet; that of the workspace, or SLUG.yaml here, unless given.")),
)
@course_option
@lang_option
@click.pass_context
def quiz(ctx: click.Context, slug: str, sheet: Path | None, course: Path | None, lang: str) -> None:
    from grader.cli.asking import Conversation
    from grader.stages.answers import without_models
    from grader.stages.draws import drawn

    item = find_item(open_course(course, lang), slug, lang)
    if not isinstance(item, Quiz):
        raise Stop(
            message("{slug} is an exercise. Read it with: grader show {again}", slug=slug, again=onward(slug)), lang
        )
    file = sheet or (workspace.find_workspace(Path()) or Path()) / workspace.file_name(item)
    sheet_now = sheet_so_far(item, file, lang)
    answers, tries, draw = dict(sheet_now.answers), dict(sheet_now.tries), sheet_now.draw
    conversation = Conversation(
        without_models(drawn(item, draw)),
        answers,
        partial(keep, item, file, lang, draw),
        lang,
        min(output.width(), WIDEST),
        output.colored(),
        tries,
    )
    ctx.exit(grade(item, file, answers, draw, lang) if conversation.run() else NOT_REACHED)


def sheet_so_far(item: Quiz, file: Path, lang: str) -> Response:
    """Return what is on the sheet, and a draw but no answers where there is none; raise `Stop` for one that must not be overwritten."""
    from grader.stages.draws import any_draw
    from grader.stages.spec import read_answers

    if not file.exists():
        return Response(str(file), item.slug, {}, draw=any_draw(item))
    response = read_answers(file, str(file))
    if response.problems:
        said = (say(problem, lang).replace("\n", "\\n") for problem in response.problems)
        click.echo(harmless("\n".join(said)), err=True)
        raise Stop(
            message("{file} cannot be read. Correct it, or choose another sheet with --sheet.", file=file),
            lang,
            NOT_REACHED,
        )
    if response.slug not in (None, item.slug):
        why = message("{file} holds answers to {other}, not to {slug}.", file=file, other=response.slug, slug=item.slug)
        raise Stop(why, lang)
    return response


def keep(
    item: Quiz, file: Path, lang: str, draw: int, answers: Mapping[str, Any], tries: Mapping[str, int] | None = None
) -> None:
    """Write all answers to the sheet; raise `Stop` where that cannot be done."""
    from grader.stages.sheet import answer_sheet

    try:
        output.write(file, answer_sheet(item, lang, answers, draw=draw, tries=tries))
    except OSError as error:
        raise Stop(message("{file} cannot be written: {why}.", file=file, why=error.strerror), lang) from error


def grade(item: Quiz, file: Path, answers: Mapping[str, Any], draw: int, lang: str) -> int:
    """Grade the answers, show the text report, remember the result in the workspace; return the exit code."""
    from grader.grade import grade_quiz
    from grader.kinds.reports import REPORTS, ReportStyle
    from grader.stages.report import build_report, exit_code

    result = grade_quiz(item, Response(str(file), item.slug, answers, draw=draw))
    report = pointing_onward(build_report([result], Isolation("best"), "cpu", 0))
    if root := workspace.find_workspace(file):
        with suppress(OSError):  # a workspace that may only be read is graded all the same
            workspace.record(root, [result])
    click.echo()
    click.echo(REPORTS["text"](report, ReportStyle(lang, output.colored(), output.width())).rstrip("\n"))
    return exit_code(report)
