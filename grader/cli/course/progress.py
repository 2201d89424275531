"""How far a run is, on standard error: one line that moves on a terminal, a line now and then on a pipe."""

from __future__ import annotations

import sys
import time

import click

from grader.course.batch import Progress
from grader.locale import say
from grader.model import message

BAR = 24
ON_TERMINAL, ON_PIPE = 0.1, 10.0  # seconds between two


class Meter:
    """Shows the progress of a run: how much is done, how fast, and how long it will take."""

    def __init__(self, lang: str):
        self.lang = lang
        self.moves = sys.stderr.isatty()
        self.started = time.monotonic()
        self.shown = 0.0 if self.moves else self.started
        self.wide = 0

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self.shown < (ON_TERMINAL if self.moves else ON_PIPE):
            return
        self.shown = now
        self._put(self._line(progress, now - self.started))

    def close(self, progress: Progress) -> None:
        """Show the last state, and leave the line."""
        self._put(self._line(progress, time.monotonic() - self.started))
        if self.moves:
            click.echo(err=True)

    def _line(self, progress: Progress, seconds: float) -> str:
        done, total = progress.entries, progress.total
        speed = progress.graded / seconds if seconds > 0 else 0.0
        left = seconds / done * (total - done) if done else 0.0
        text = message(
            "{done} of {total} submissions, {graded} answers graded, {kept} as before, {speed} a second, {left} left",
            done=done,
            total=total,
            graded=progress.graded,
            kept=progress.kept,
            speed=f"{speed:.1f}",
            left=clock(left),
        )
        if not self.moves:
            return say(text, self.lang)
        filled = BAR * done // total if total else BAR
        return f"[{'#' * filled}{'·' * (BAR - filled)}] {say(text, self.lang)}"

    def _put(self, line: str) -> None:
        if self.moves:
            click.echo("\r" + line.ljust(self.wide), nl=False, err=True)
            self.wide = len(line)
        else:
            click.echo(line, err=True)


def clock(seconds: float) -> str:
    """Return a span of time as minutes and seconds, with hours where there are any."""
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"
