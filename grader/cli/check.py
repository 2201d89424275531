"""`grader check`: paths in, reports out. The learner's process starts first, and imports torch while the judge reads YAML."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path

import click

from grader.cli.options import course_option, lang_option, told
from grader.cli.targets import may_run_code, must_exist
from grader.model import Isolation, message

LEVELS = ("strict", "best", "none")
DEVICES = ("cpu", "cuda", "auto")


@click.command(help=told(message("Grade files, answer sheets, or every exercise under a folder.")))
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--exercise", metavar="SLUG", help=told(message("Which exercise it is, where the file name does not tell.")))
@click.option("--device", type=click.Choice(DEVICES), default="cpu", help=told(message("Where the tensors live.")))
@click.option("--seed", type=click.IntRange(0), default=0, help=told(message("What the cases are drawn from.")))
@click.option("--isolation", type=click.Choice(LEVELS), default="best", help=told(message("What holds your code.")))
@click.option(
    "--min-score",
    metavar="PERCENT",
    type=click.FloatRange(0, 100),
    default=100.0,
    help=told(message("The score from which the exit code is 0; 100 unless given.")),
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
        # The imports below take their time while the learner's process imports torch.
        from grader.cli import grading, output
        from grader.cli.opening import open_course
        from grader.cli.targets import Finder
        from grader.course.folder import load_course_mistakes
        from grader.grade import Settings
        from grader.kinds.reports import REPORTS, ReportStyle
        from grader.stages.report import build_report, exit_code
        from grader.stages.spec import read_answers

        where = output.destinations(reports, REPORTS, lang)
        loaded = open_course(course, lang)
        targets = Finder(loaded, exercise, read_answers, lang).targets(paths)
        secret, note = grading.secret_of(loaded, os.environ)
        root = Path(loaded.root)
        cache = None if isolation == "strict" else grading.cache_folder(os.environ)
        settings = Settings(root, load_course_mistakes(root), seed, device, secret, cache)
        results = tuple(grading.graded(loaded, targets, settings, runner))
    grading.remember(results)
    held = runner.isolation if runner else Isolation(isolation)
    report = build_report(results, held, device, seed, [note] if note and runner else [])
    output.deliver(where, lambda word, style: REPORTS[word](report, style), lang)
    ctx.exit(exit_code(report, min_score))
