"""Lines of a text report as they are written: wrapped, clipped and painted."""

from __future__ import annotations

from grader.kinds.reports.parts import ReportView
from grader.kinds.reports.style import ReportStyle
from grader.kinds.reports.terminal import cells, paint, wrap

WIDEST, NARROWEST = 110, 30
INDENT = "  "


class Page:
    """Lines as they are written: knows the width, and whether to paint."""

    def __init__(self, style: ReportStyle):
        self.width = max(NARROWEST, min(WIDEST, style.width))
        self.color = style.color
        self.rows: list[str] = []

    def ink(self, text: str, *inks: str) -> str:
        """Return the text painted, or plain."""
        return paint(text, *inks) if self.color and text.strip() else text

    def add(self, text: str = "", *inks: str, first: str = "", rest: str | None = None) -> None:
        """Write a paragraph."""
        self.rows += [
            self.ink(row.rstrip(), *inks) if inks else row.rstrip() for row in wrap(text, self.width, first, rest)
        ]

    def gap(self) -> None:
        """Write one empty line, unless there is one."""
        if self.rows and self.rows[-1]:
            self.rows.append("")


def clip(text: str, room: int) -> str:
    """Return the text in at most `room` cells, with a mark where it is cut."""
    if cells(text) <= room:
        return text
    kept = ""
    for char in text:
        if cells(kept + char) > room - 1:
            break
        kept += char
    return kept + "…"


def listed(view: ReportView, names: tuple[str, ...], between: str = "、") -> str:
    """Return several names as one text; `between` is Chinese punctuation, told in the reader's."""
    western = {"、": ", ", "；": "; ", "，": ", "}
    return (between if view.lang == "zh" else western[between]).join(names)
