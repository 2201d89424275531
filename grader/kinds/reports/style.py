"""How a report is to look, and the vocabulary of formats: a word is a function from a report and a style to a string."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grader.kinds import Vocabulary
from grader.model import Report


@dataclass(frozen=True)
class ReportStyle:
    """`lang` is "en" or "zh"; `color` and `width` (in terminal cells) concern the text format.

    `started` and `stopped` are seconds since 1970, for the formats that have to tell the time.
    """

    lang: str = "en"
    color: bool = False
    width: int = 80
    started: float = 0.0
    stopped: float = 0.0


Format = Callable[[Report, ReportStyle], str]

REPORTS: Vocabulary[Format] = Vocabulary()
