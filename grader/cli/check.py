"""`grader check`: paths in, reports out. The order of its lines is its speed: the learner's process starts before the judge reads YAML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.options import course_option, lang_option, told
from grader.cli.targets import Finder, Target, may_run_code, must_exist
from grader.model import Course, Report, Result, message

if TYPE_CHECKING:
    from grader.grade import Runner, Settings

LEVELS = ("strict", "best", "none")
DEVICES = ("cpu", "cuda", "auto")


@click.command(help=told(message("Grade files, answer sheets, or every exercise under a folder.")))
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--exercise", metavar="SLUG", help=told(message("Which exercise it is, where the file name does not tell."))
)
@click.option("--device", type=click.Choice(DEVICES), default="cpu", help=told(message("Where the tensors live.")))
@click.option("--seed", type=click.IntRange(min=0), default=0, help=told(message("Draws the cases.")))
@click.option("--isolation", type=click.Choice(LEVELS), default="best", help=told(message("What holds your code.")))
@click.option(
    "--min-score",
    metavar="PERCENT",
    type=click.FloatRange(0, 100),
    default=100.0,
    help=told(message("The score at which the exit code is 0.")),
)
@click.option(
    "--report",
    "reports",
    metavar="FORMAT[=FILE]",
    multiple=True,
    help=told(message("text, json, html or markdown; to FILE, or shown. May be given several times.")),
)
@course_option
@lang_option
@click.pass_context
def check(
    ctx: click.Context,
    paths: tuple[Path, ...],
    exercise: str | None,
    device: str,
    seed: int,
    isolation: str,
    min_score: float,
    reports: tuple[str, ...],
    course: Path | None,
    lang: str,
) -> None:
    must_exist(paths, lang)
    with ExitStack() as stack:
        runner = None
        if may_run_code(paths):
            from grader.stages.sandbox import open_sandbox

            runner = stack.enter_context(open_sandbox(isolation, device=device))
        # From here on the learner's process imports torch while we read YAML.
        from grader.cli import output
        from grader.cli.opening import open_course
        from grader.kinds.reports import REPORTS, ReportStyle
        from grader.stages.report import build_report, exit_code
        from grader.stages.spec import read_answers

        where = output.destinations(reports, REPORTS, lang)
        loaded = open_course(course, lang)
        targets = Finder(loaded, exercise, read_answers, lang).targets(paths)
        results = tuple(graded(loaded, targets, seed, runner))
        report = build_report(results, runner, device, seed)
    remember(results)
    formats = {word: partial(rendered, report, word, lang) for word in REPORTS}
    output.deliver(where, formats, lang)
    ctx.exit(exit_code(report, min_score))
