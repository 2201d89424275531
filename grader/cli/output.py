"""Reports and where they go: standard output, or a file that is there whole or not at all."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

from grader.cli.stop import Stop, no_such
from grader.cli.targets import FILES
from grader.kinds.reports.style import ReportStyle
from grader.locale import say
from grader.model import message

Render = Callable[[str, ReportStyle], str]

SUMMARY_BYTES = 900_000  # of a step summary; from 1 MiB on GitHub drops all of it


@dataclass(frozen=True)
class Destination:
    """One `--report FORMAT[=FILE]`; without a file it goes to standard output."""

    format: str
    file: Path | None = None


def destinations(wanted: Iterable[str], known: Collection[str], lang: str) -> tuple[Destination, ...]:
    """Read the values of `--report`; the text report is shown when no other one goes to standard output.

    Raises `Stop` for a format that is none and for a file that cannot be written.
    """
    found = []
    for value in wanted:
        word, _, file = value.partition("=")
        if word not in known:
            raise no_such(word, known, lang)
        if "=" in value and not file:
            raise Stop(message("--report {value}: a file name is missing after the equals sign.", value=value), lang)
        found.append(Destination(word, _writable(Path(file), lang) if file else None))
    shown = any(destination.file is None for destination in found)
    return tuple(found if shown else [Destination("text"), *found])


def warn_of_mixed(where: Iterable[Destination], lang: str) -> None:
    """Warn of reports that run together on standard output; the lines of `github` are told from all others by GitHub."""
    mixed = [each.format for each in where if each.file is None and each.format != "github"]
    if len(mixed) > 1:
        what = message(
            "Several reports go to standard output, one after the other: {formats}. Give all but one a file: --report {last}=FILE",
            formats=", ".join(mixed),
            last=mixed[-1],
        )
        click.echo(say(what, lang), err=True)


def _writable(file: Path, lang: str) -> Path:
    if file.suffix in FILES:
        what = message("The report cannot be written to {file}: it would take the place of work.", file=file)
        raise Stop(what, lang)
    if file.is_dir():
        raise Stop(message("The report cannot be written to {file}: that is a folder.", file=file), lang)
    if not file.parent.is_dir():
        raise Stop(
            message(
                "The report cannot be written to {file}: there is no folder {folder}.", file=file, folder=file.parent
            ),
            lang,
        )
    return file


def width() -> int:
    """Return how many columns a text report may use."""
    return min(shutil.get_terminal_size((100, 24)).columns, 120)


def colored() -> bool:
    """Return whether standard output is a terminal that wants colours."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def deliver(where: Iterable[Destination], render: Render, lang: str, clock: tuple[float, float] = (0.0, 0.0)) -> None:
    """Print and write reports; `render` makes the one of a format in a style, `clock` is when grading started and stopped.

    Standard output comes first, so that a full disk costs a file and not the feedback.
    Raises `Stop` for a file that cannot be written.
    """
    shown = ReportStyle(lang, colored(), width(), *clock)
    filed = ReportStyle(lang, started=clock[0], stopped=clock[1])
    for destination in sorted(where, key=lambda each: each.file is not None):
        if destination.file is None:
            click.echo(render(destination.format, shown).rstrip("\n"))
            continue
        try:
            write(destination.file, render(destination.format, filed))
        except OSError as error:
            _remove(destination.file)
            why = message("The report cannot be written to {file}: {why}.", file=destination.file, why=error.strerror)
            raise Stop(why, lang) from error


def forget(wanted: Iterable[str]) -> None:
    """Remove the files of `--report FORMAT=FILE` after a run that ended without a report: an old one would pass for its own.

    Where a value is wrong no file is touched.
    """
    from grader.kinds.reports import REPORTS

    with suppress(Stop):
        for destination in destinations(wanted, REPORTS, "en"):
            if destination.file is not None:
                _remove(destination.file)


def _remove(file: Path) -> None:
    """Remove a report; a device or pipe stays, and so does what may not be removed."""
    with suppress(OSError):
        if file.is_file():
            Path(os.path.realpath(file)).unlink()


def summarise(render: Callable[[ReportStyle, int], str], lang: str, environ: Mapping[str, str] = os.environ) -> None:
    """Append what `render` makes to the step summary of a GitHub job; elsewhere there is none.

    `render` is told how many bytes there is room for, beside what the step has written before.
    Raises `Stop` for a summary that cannot be written.
    """
    if not (named := environ.get("GITHUB_STEP_SUMMARY")):
        return
    file = Path(named)
    try:
        taken = file.stat().st_size if file.exists() else 0
        with file.open("ab") as summary:
            summary.write(render(ReportStyle(lang), SUMMARY_BYTES - taken).encode("utf-8", "backslashreplace"))
    except OSError as error:
        why = message("The step summary cannot be written to {file}: {why}.", file=file, why=error.strerror)
        raise Stop(why, lang) from error


def write(file: Path, text: str) -> None:
    """Write `text` whole or not at all; a device or pipe is written to as it is."""
    data = text.encode("utf-8", "backslashreplace")
    if file.exists() and not file.is_file():
        file.write_bytes(data)
        return
    target = Path(os.path.realpath(file))  # a link stays a link
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
