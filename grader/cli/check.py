"""`grader check`: paths in, reports out. The learner's process starts first, and imports torch while the judge reads YAML."""

from __future__ import annotations

import time
from contextlib import ExitStack
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.cli.opening import course_folder, same_seed
from grader.cli.options import NamedPath, course_option, lang_option, told
from grader.cli.stop import UNAVAILABLE, Stop
from grader.cli.targets import may_run_code, must_exist
from grader.course.find import preload_of
from grader.model import Report, message

if TYPE_CHECKING:
    from grader.cli.output import Destination

LEVELS = ("strict", "best", "none")
DEVICES = ("cpu", "cuda", "auto")


@click.command(help=told(message("Grade files, answer sheets, or every exercise under a folder.")))
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=NamedPath(readable=False, path_type=Path))
@click.option(
    "--exercise", metavar="SLUG", help=told(message("Which exercise it is, where the file name does not tell."))
)
@click.option("--device", type=click.Choice(DEVICES), default="cpu", help=told(message("Where the tensors live.")))
@click.option("--seed", type=click.IntRange(0), default=0, help=told(message("What the cases are drawn from.")))
@click.option(
    "--isolation",
    type=click.Choice(LEVELS),
    default="best",
    help=told(message("What holds your code; best unless given.")),
)
@click.option(
    "--min-score",
    metavar="PERCENT",
    type=click.FloatRange(0, 100),
    default=100.0,
    callback=lambda _ctx, _param, percent: a_number(percent),
    help=told(message("The score from which the exit code is 0; 100 unless given.")),
)
@click.option(
    "--report",
    "reports",
    metavar="FORMAT[=FILE]",
    multiple=True,
    help=told(
        message(
            "text, json, html, markdown, junit, gradescope, github or ctrf; to FILE, or shown. May be given several times."
        )
    ),
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
    started = time.time()
    try:
        must_exist(paths, lang)
        root = course_folder(course, lang)
        same_seed(root, seed, lang)
        report, where = _graded(root, paths, exercise, seed, usable(device, lang), isolation, reports, lang)
    except BaseException:
        from grader.cli.output import forget

        forget(reports)
        raise
    from grader.cli import output
    from grader.kinds.reports import REPORTS, github
    from grader.stages.report import exit_code

    output.deliver(where, lambda word, style: REPORTS[word](report, style), lang, (started, time.time()))
    if output.Destination("github") in where:
        output.summarise(lambda style, room: github.summary(report, style, room), lang)
    ctx.exit(exit_code(report, min_score))


def _graded(
    root: Path,
    paths: tuple[Path, ...],
    exercise: str | None,
    seed: int,
    device: str,
    isolation: str,
    reports: tuple[str, ...],
    lang: str,
) -> tuple[Report, tuple[Destination, ...]]:
    """Return the report and where it goes."""
    with ExitStack() as stack:
        runner = None
        if may_run_code(paths):
            from grader.stages.sandbox import open_sandbox

            runner = stack.enter_context(open_sandbox(isolation, preload=preload_of(root), device=device))
        # The imports below take their time while the learner's process imports torch.
        from grader.cli import grading, output
        from grader.kinds.reports import REPORTS

        where = output.destinations(reports, REPORTS, lang)
        output.warn_of_mixed(where, lang)
        order = grading.Order(root, paths, exercise, seed, device, isolation, lang)
        return grading.report_on(order, runner), where


def a_number(percent: float) -> float:
    """Return a percentage as it is; raise `Stop` for NaN, which is in every range."""
    if isnan(percent):
        raise Stop(message("--min-score takes a number from 0 to 100."))
    return percent


def usable(device: str, lang: str) -> str:
    """Return the device to grade on; raise `Stop` when CUDA is demanded and not there. Only then is torch asked."""
    if device == "cpu":
        return device
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if device == "auto":
        return "cpu"
    why = message("There is no CUDA here that torch {version} can use. Try --device cpu.", version=torch.__version__)
    raise Stop(why, lang, UNAVAILABLE)
