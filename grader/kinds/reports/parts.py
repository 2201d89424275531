"""What a report consists of when people read it: plain harmless strings in one language, made by `view.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grader.kinds.reports.cases import UNJUDGED
from grader.kinds.reports.examples import ExampleView
from grader.kinds.reports.grids import PanelView
from grader.model import Verdict


@dataclass(frozen=True)
class VerdictView:
    """A verdict as people see it: a mark, an ink and a name; `word` is the machine's."""

    word: str
    mark: str
    ink: str
    name: str


@dataclass(frozen=True)
class CaseView:
    """One case or question: the rung that decided it and what it said. `label` is the name, with a word if it is hidden."""

    name: str
    label: str
    hidden: bool
    verdict: VerdictView
    check: str
    message: str
    points: str
    panels: tuple[PanelView, ...]
    prompt: str  # what a question asks; may have several lines


@dataclass(frozen=True)
class SourceView:
    """One line of the learner's file; `caret` is how many characters stand before the place meant, or None.

    `at` is the number as people see it, with the cell of a notebook.
    """

    at: str
    number: int
    function: str
    code: str
    caret: int | None


@dataclass(frozen=True)
class ResultView:
    """One exercise or quiz. `named` says whether a mistake is named; `tally` counts the cases, `also` are further mistakes."""

    anchor: str
    kind: str
    title: str
    slug: str
    path: str
    verdict: VerdictView
    points: str
    headline: str
    named: bool
    details: tuple[str, ...]
    source: tuple[SourceView, ...]
    tally: str
    cases: tuple[CaseView, ...]
    remarks: tuple[str, ...]
    also: tuple[str, ...]
    next_step: str
    printed: tuple[str, ...]
    printed_cut: bool
    prompt: str  # what was asked, as its author laid it out
    hints: tuple[str, ...]
    example: ExampleView | None

    @property
    def brief(self) -> bool:
        """Whether a line of an overview says everything."""
        return self.verdict.word == Verdict.NOT_SUBMITTED.value

    @property
    def told(self) -> CaseView | None:
        """The case that the sentences tell of: the visible one whose message they have, else the first that fails."""
        quiet = (Verdict.PASSED.value, *(verdict.value for verdict in UNJUDGED))
        wrong = [case for case in self.cases if not case.hidden and case.verdict.word not in quiet]
        said = [case for case in wrong if case.message and any(case.message in text for text in self.sentences)]
        return next(iter(said or wrong), None)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The headline and the details."""
        return (self.headline, *self.details)


@dataclass(frozen=True)
class ModuleView:
    """A chapter of the course with what became of its exercises and quizzes, in order."""

    title: str
    results: tuple[ResultView, ...]
    passed: int
    progress: str  # the same in words

    @property
    def begun(self) -> bool:
        """Whether anything was done about it yet."""
        return not all(result.brief for result in self.results)


@dataclass(frozen=True)
class ReportView:
    """The whole report. `words` are the fixed words, `notes` what is counted aloud, `footer` how it was graded.

    `modules` are there where a folder was graded against a course; `learnt` are the titles of what passed.
    """

    lang: str
    title: str
    results: tuple[ResultView, ...]
    points: str
    notes: tuple[str, ...]
    footer: tuple[str, ...]
    words: Mapping[str, str]
    modules: tuple[ModuleView, ...]
    learnt: tuple[str, ...]
    next_step: str

    @property
    def others(self) -> tuple[ResultView, ...]:
        """The results that belong to no module."""
        placed = [result for module in self.modules for result in module.results]
        return tuple(result for result in self.results if result not in placed)
