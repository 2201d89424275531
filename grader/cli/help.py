"""Help texts in, pages out: lines end between words and between Chinese characters, and a Chinese character is two columns wide."""

from __future__ import annotations

from collections.abc import Iterable

import click

from grader.kinds.reports.terminal import cells, wrap

KEPT = "\b\n"  # click leaves the lines of a paragraph that begins so as they are


class Formatter(click.HelpFormatter):
    """What click writes help with: it would count characters, and cut in the middle of a word where no space is near."""

    def write_text(self, text: str) -> None:
        """Write a paragraph."""
        super().write_text(_broken(text, self.width - self.current_indent))

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write options or commands in two columns."""
        rows = list(rows)
        first = min(max((len(term) for term, _ in rows), default=0), col_max) + col_spacing
        room = self.width - first - self.current_indent
        super().write_dl([(term, _broken(told, room)) for term, told in rows], col_max, col_spacing)


class Context(click.Context):
    """The context of each command of ours."""

    formatter_class = Formatter


def _broken(text: str, room: int) -> str:
    return KEPT + "\n".join(wrap(text, room)) if cells(text) > room else text
