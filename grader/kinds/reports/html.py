"""The report as one web page: nothing is fetched, no script runs, and it reads well on a phone, in the dark, aloud and on paper."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grader.kinds.reports.escape import unmarked
from grader.kinds.reports.prose import FORMULA, formula, prose
from grader.kinds.reports.style import REPORTS, ReportStyle
from grader.kinds.reports.templates import template
from grader.kinds.reports.view import report_view
from grader.model import Report

if TYPE_CHECKING:
    from markupsafe import Markup


@REPORTS.word("html")
def render(report: Report, style: ReportStyle) -> str:
    """For people, in a browser: one file with pictures of got and expected."""
    page = template("report.html", inline=inline, prose=prose).render(report=report_view(report, style.lang))
    return unmarked(page, "&#58;", "&#91;") + "\n"


def inline(text: str) -> Markup:
    """Return the text as HTML with `code` of our messages as code and `$formulas$` as such; everything else is escaped."""
    from markupsafe import Markup, escape

    shown = []
    for place, part in enumerate(re.split(r"`([^`]+)`", text)):
        if place % 2:
            shown.append(Markup("<code>{}</code>").format(part))
            continue
        shown += [formula(piece) if at % 2 else escape(piece) for at, piece in enumerate(FORMULA.split(part))]
    return Markup("").join(shown)
