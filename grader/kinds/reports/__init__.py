"""Report formats. To add one, add a module here with one decorated function, and name it below."""

from grader.kinds.reports.style import REPORTS, ReportStyle

# isort: split
from grader.kinds.reports import ctrf, github, gradescope, html, json, junit, markdown, text

__all__ = [
    "REPORTS",
    "ReportStyle",
    "ctrf",
    "github",
    "gradescope",
    "html",
    "json",
    "junit",
    "markdown",
    "text",
]
