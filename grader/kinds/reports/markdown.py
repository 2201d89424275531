"""The report as Markdown, for a step summary or a comment."""

from __future__ import annotations

import re

from grader.kinds.reports.escape import unmarked
from grader.kinds.reports.style import REPORTS, ReportStyle
from grader.kinds.reports.templates import template
from grader.kinds.reports.terminal import cells, pad
from grader.kinds.reports.view import SourceView, labelled, report_view
from grader.model import Report

SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~#$&])")
STARTS = re.compile(r"^(\s*)([-+=]|\d+[.)])")


@REPORTS.word("markdown")
def render(report: Report, style: ReportStyle) -> str:
    """For a step summary or a comment: GitHub's Markdown, with tables."""
    page = template("report.md", md=escaped, code=code, fence=fence, source=source, labelled=labelled)
    text = page.render(report=report_view(report, style.lang))
    return unmarked(re.sub(r"\n{3,}", "\n\n", text)).strip("\n") + "\n"


def escaped(text: str) -> str:
    """Return the text with nothing in it that Markdown would act on; `code` of our own messages stays code."""
    parts = re.split(r"(`[^`]+`)", text)
    return "".join(code(part[1:-1]) if i % 2 else _escaped(part, i == 0) for i, part in enumerate(parts))


def _escaped(text: str, start: bool) -> str:
    text = SPECIAL.sub(r"\\\1", text).replace("://", ":\\/\\/").replace("www.", "www\\.")
    if not start:
        return text
    return STARTS.sub(lambda m: f"{m[1]}{m[2][:-1]}\\{m[2][-1]}", text)


def code(text: str) -> str:
    """Return an inline code span that no run of backticks inside it can end; safe in a table."""
    ticks = "`" * (_longest_run(text) + 1)
    space = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{ticks}{space}{text}{space}{ticks}".replace("|", "\\|")


def fence(rows: tuple[str, ...]) -> str:
    """Return a fenced block whose fence is longer than any inside it."""
    ticks = "`" * max(3, max((_longest_run(row) for row in rows), default=0) + 1)
    return "\n".join([f"{ticks}text", *rows, ticks])


def source(seen: tuple[SourceView, ...]) -> str:
    """Return the learner's lines with their numbers, and a caret where one is meant."""
    edge = max(cells(row.at) for row in seen)
    rows = []
    for row in seen:
        rows.append(f"{pad(row.at, edge, right=True)} | {row.code}")
        if row.caret is not None:
            rows.append(f"{'':>{edge}} | {' ' * row.caret}^")
    return fence(tuple(rows))


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)
