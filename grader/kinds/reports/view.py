"""A Report in, the same report in one language out: plain harmless strings, ready for any format that people read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from grader.kinds.reports.cases import UNJUDGED, by_case, tally, without_hidden_values
from grader.kinds.reports.escape import line, lines
from grader.kinds.reports.grids import PanelView, panel_view
from grader.kinds.reports.labels import CHECKS, VERDICTS, WORDS
from grader.locale import say
from grader.model import Isolation, Message, Outcome, Report, Result, Sayable, Verdict, message

MOST_PRINTED = 60  # lines of what the learner's code printed
MOST_FRAMES = 8  # lines of the learner's own code


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


@dataclass(frozen=True)
class SourceView:
    """One line of the learner's file; `caret` is how many characters stand before the place meant, or None."""

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
class ReportView:
    """The whole report. `words` are the fixed words, `notes` what is counted aloud, `footer` how it was graded."""

    lang: str
    results: tuple[ResultView, ...]
    points: str
    notes: tuple[str, ...]
    footer: tuple[str, ...]
    words: Mapping[str, str]


def report_view(report: Report, lang: str) -> ReportView:
    """Return the report in `lang`; hidden cases keep name, check and verdict."""
    report = without_hidden_values(report)
    return ReportView(
        lang=lang,
        results=tuple(_result(result, lang, number) for number, result in enumerate(report.results, 1)),
        points=points(report.score, report.max_score),
        notes=tuple(spoken(note, lang) for note in (*_counted_aloud(report), *report.notes)),
        footer=tuple(spoken(fact, lang) for fact in _footer(report)),
        words={name: say(word, lang) for name, word in WORDS.items()},
    )


def spoken(text: Sayable | str | None, lang: str) -> str:
    """Say a text in one harmless line. An author's line breaks are spaces; those in a field from the learner are shown."""
    return line(say(_flat(text), lang), 4000) if text else ""


def _flat(value: Any) -> Any:
    if isinstance(value, Message):
        return replace(value, fields={name: _flat(field) for name, field in value.fields.items()})
    if isinstance(value, Mapping):
        return {lang: " ".join(text.split()) for lang, text in value.items()}
    return line(value) if isinstance(value, str) else value


def number(value: float) -> str:
    """Return points with at most two digits, rounded down so that less than all never reads as all."""
    return f"{int(value * 100 + 1e-6) / 100:.2f}".rstrip("0").rstrip(".")


def points(score: float, maximum: float) -> str:
    """Return `7.5/10`, or a dash where nothing counts."""
    return f"{number(score)}/{number(maximum)}" if maximum else "–"


def labelled(label: str, text: str, lang: str) -> str:
    """Return `label: text` with the colon of the language, or the one that is there."""
    return say(message("{label}: {text}", label=label, text=text), lang) if label and text else label or text


def tagged(name: str, lang: str) -> str:
    """Return the name with the word for what is hidden."""
    return say(message("{name} ({tag})", name=name, tag=WORDS["hidden"]), lang)


def verdict_view(verdict: Verdict, lang: str) -> VerdictView:
    """Return how a verdict is shown."""
    mark, ink, name = VERDICTS[verdict]
    return VerdictView(verdict.value, mark, ink, say(name, lang))


def check_name(word: str, lang: str) -> str:
    """Return a check's name in prose; a word without one stands for itself."""
    return say(CHECKS[word], lang) if word in CHECKS else line(word)


def _result(result: Result, lang: str, place: int) -> ResultView:
    cases = tuple(_case(outcome, lang) for outcome in by_case(result.outcomes))
    printed = lines(result.printed.rstrip("\n"), MOST_PRINTED + 1) if result.printed else []
    return ResultView(
        anchor=f"r{place}",
        kind=result.kind,
        title=spoken(result.title, lang),
        slug=line(result.slug),
        path=line(result.path),
        verdict=verdict_view(result.verdict, lang),
        points=points(result.score, result.max_score),
        headline=spoken(result.headline, lang),
        named=bool(result.diagnoses),
        details=tuple(spoken(detail, lang) for detail in result.details),
        source=_source(result),
        tally=spoken(tally(result.outcomes), lang) if result.kind == "exercise" else "",
        cases=cases if any(case.verdict.word == "passed" or case.message for case in cases) else (),
        remarks=tuple(
            _remark(o, lang) for o in result.outcomes if o.remark and o.message and o.verdict is Verdict.FAILED
        ),
        also=tuple(spoken(says, lang) for diagnosis in result.diagnoses[1:] for says in diagnosis.says),
        next_step=spoken(result.next_step, lang),
        printed=tuple(printed[:MOST_PRINTED]),
        printed_cut=result.printed_cut or len(printed) > MOST_PRINTED,
    )


def _case(outcome: Outcome, lang: str) -> CaseView:
    name = line(outcome.case)
    return CaseView(
        name=name,
        label=tagged(name, lang) if outcome.hidden else name,
        hidden=outcome.hidden,
        verdict=verdict_view(outcome.verdict, lang),
        check=check_name(outcome.check, lang),
        message=spoken(outcome.message, lang),
        points="–" if outcome.verdict in UNJUDGED else points(outcome.points, outcome.max_points),
        panels=tuple(panel_view(panel) for panel in outcome.panels),
    )


def _remark(outcome: Outcome, lang: str) -> str:
    return labelled(line(outcome.case), spoken(outcome.message, lang), lang)


def _source(result: Result) -> tuple[SourceView, ...]:
    """The learner's lines that an exception passed through, innermost last; far too many (a recursion) are cut in front."""
    kept = result.source[-MOST_FRAMES:]
    seen = []
    for place, (at, function, code) in enumerate(kept, 1):
        caret = len(lines(code[: result.column - 1])[0]) if place == len(kept) and result.column else None
        seen.append(
            SourceView(at, line(function), lines(code)[0].rstrip(), caret if caret is None or caret <= 200 else None)
        )
    return tuple(seen)


def _counted_aloud(report: Report) -> list[Message]:
    notes = []
    if report.not_judged:
        notes.append(message("Answers that wait for a person: {n}. They count neither way yet.", n=report.not_judged))
    ours = sum(result.verdict is Verdict.GRADER_ERROR for result in report.results)
    if ours:
        notes.append(message("Not graded because of a fault of ours: {n}. They count neither way.", n=ours))
    absent = sum(result.verdict is Verdict.NOT_SUBMITTED for result in report.results)
    if absent:
        notes.append(message("Not handed in: {n}. They count as 0 points.", n=absent))
    return notes


def _footer(report: Report) -> list[Message]:
    isolation: Isolation = report.isolation
    layers = ", ".join(isolation.layers)
    level = message("isolation {level} ({layers})", level=isolation.level, layers=layers)
    bare = message("isolation {level}", level=isolation.level)
    facts = [message("Graded with {isolation}, device {device}, seed {seed}.", isolation=level if layers else bare,
                     device=report.device, seed=report.seed)]  # fmt: skip
    if not isolation.keeps_answers:
        facts.append(
            message("Your code could have read the hidden answers here: this score is for practice, not for a grade.")
        )
    return facts + ([isolation.note] if isolation.note else [])
