"""Report formats. To add one, add a module here with one decorated function, and name it below."""

from grader.kinds.reports.style import REPORTS, ReportStyle

# isort: split
from grader.kinds.reports import html, json, markdown, text

__all__ = ["REPORTS", "ReportStyle", "html", "json", "markdown", "text"]
