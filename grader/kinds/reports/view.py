"""A Report in, the same report in one language out: plain harmless strings, ready for any format that people read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import floor, inf, isfinite
from typing import Any

from grader.kinds.reports.cases import UNJUDGED, by_case, tally, without_hidden_values
from grader.kinds.reports.escape import line, lines
from grader.kinds.reports.examples import example_view
from grader.kinds.reports.grids import panel_view
from grader.kinds.reports.labels import CHECKS, VERDICTS, WORDS
from grader.kinds.reports.parts import CaseView, ModuleView, ReportView, ResultView, SourceView, VerdictView
from grader.locale import say
from grader.model import Isolation, Message, Outcome, Report, Result, Sayable, Text, Verdict, message

__all__ = [
    "CaseView",
    "ModuleView",
    "ReportView",
    "ResultView",
    "SourceView",
    "VerdictView",
    "check_name",
    "labelled",
    "number",
    "points",
    "report_view",
    "spoken",
    "tagged",
    "verdict_view",
    "written",
]

MOST_PRINTED = 60  # lines of what the learner's code printed
MOST_FRAMES = 8  # lines of the learner's own code


def report_view(report: Report, lang: str) -> ReportView:
    """Return the report in `lang`; hidden cases keep name, check and verdict."""
    report = without_hidden_values(report)
    results = tuple(_result(result, lang, number) for number, result in enumerate(report.results, 1))
    return ReportView(
        lang=lang,
        title=spoken(report.title, lang),
        results=results,
        points=points(report.score, report.max_score),
        notes=tuple(spoken(note, lang) for note in (*_counted_aloud(report), *report.notes)),
        footer=tuple(spoken(fact, lang) for fact in _footer(report)),
        words={name: say(word, lang) for name, word in WORDS.items()},
        modules=tuple(_modules(report, results, lang)),
        learnt=tuple(result.title for result in results if result.verdict.word == Verdict.PASSED.value),
        next_step=spoken(report.next_step, lang),
    )


def _modules(report: Report, results: tuple[ResultView, ...], lang: str) -> Iterator[ModuleView]:
    """Each module that something was graded of; what belongs to none is left to the results themselves."""
    for module in report.modules:
        slugs = (*module.exercises, *module.quizzes)
        inside = tuple(result for result in results if result.slug in slugs)
        passed = sum(result.verdict.word == Verdict.PASSED.value for result in inside)
        if inside:
            words = message("{passed} of {all} passed", passed=passed, all=len(inside))
            yield ModuleView(spoken(module.title, lang), inside, passed, say(words, lang))


def written(text: Text | None, lang: str) -> str:
    """Return a text as its author laid it out, line by line harmless."""
    return "\n".join(lines(say(text, lang).strip("\n"))) if text else ""


def spoken(text: Sayable | str | None, lang: str) -> str:
    """Say a text in one harmless line. An author's line breaks are spaces; those in a field from the learner are shown."""
    return line(say(_flat(text), lang), 4000) if text else ""


def _flat(value: Any) -> Any:
    if isinstance(value, Message):
        return replace(value, fields={name: _flat(field) for name, field in value.fields.items()})
    if isinstance(value, Mapping):
        return {lang: " ".join(text.split()) for lang, text in value.items()}
    return line(value) if isinstance(value, str) else value


def number(value: float, most: float = inf) -> str:
    """Return points with at most two digits, rounded; where that made less than `most` read as all of it, they are cut."""
    cents, all_of_it = floor(value * 100 + 0.5 + 1e-6), floor(most * 100 + 0.5 + 1e-6) if isfinite(most) else inf
    if cents >= all_of_it and value < most - 1e-9:
        cents = floor(value * 100)
    return f"{cents / 100:.2f}".rstrip("0").rstrip(".")


def points(score: float, maximum: float) -> str:
    """Return `7.5/10`, or a dash where nothing counts."""
    return f"{number(score, maximum)}/{number(maximum)}" if maximum else "–"


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
    cases = tuple(_case(outcome, lang, result.kind) for outcome in by_case(result.outcomes))
    printed = lines(result.printed.rstrip("\n"), MOST_PRINTED + 1) if result.printed else []
    return ResultView(
        anchor=f"r{place}",
        kind=result.kind,
        title=spoken(result.title, lang),
        slug=line(result.slug),
        path=line(result.path),
        verdict=_standing(result, lang),
        points=points(result.score, result.max_score),
        headline=spoken(result.headline, lang),
        named=bool(result.diagnoses),
        details=tuple(spoken(detail, lang) for detail in result.details),
        source=_source(result, lang),
        tally=spoken(tally(result.outcomes), lang) if result.kind == "exercise" else "",
        cases=cases if any(case.verdict.word == "passed" or case.message for case in cases) else (),
        remarks=tuple(
            _remark(o, lang) for o in result.outcomes if o.remark and o.message and o.verdict is Verdict.FAILED
        ),
        also=tuple(spoken(says, lang) for diagnosis in result.diagnoses[1:] for says in diagnosis.says),
        next_step=spoken(result.next_step, lang),
        printed=tuple(printed[:MOST_PRINTED]),
        printed_cut=result.printed_cut or len(printed) > MOST_PRINTED,
        prompt=written(result.prompt, lang),
        hints=tuple(spoken(hint, lang) for hint in result.hints),
        example=example_view(result.example),
    )


def _standing(result: Result, lang: str) -> VerdictView:
    """The verdict of a result. A file with nothing in it yet is not missing; one that cannot be read raised nothing."""
    shown = verdict_view(result.verdict, lang)
    if result.verdict is Verdict.NOT_SUBMITTED and result.path:
        return replace(shown, name=say(WORDS["not_started"], lang))
    if result.verdict is Verdict.ERRORED and result.column is not None:
        return replace(shown, name=say(WORDS["syntax_error"], lang))
    if result.verdict is Verdict.ERRORED and not result.outcomes:
        return replace(shown, name=say(WORDS["unreadable"], lang))
    return shown


def _case(outcome: Outcome, lang: str, kind: str) -> CaseView:
    name, verdict = _name(outcome, lang), verdict_view(outcome.verdict, lang)
    if kind == "quiz" and outcome.verdict is Verdict.SKIPPED:
        verdict = replace(verdict, name=say(WORDS["unanswered"], lang))
    return CaseView(
        name=name,
        label=tagged(name, lang) if outcome.hidden else name,
        hidden=outcome.hidden,
        verdict=verdict,
        check=check_name(outcome.check, lang),
        message=spoken(outcome.message, lang),
        points="–" if outcome.verdict in UNJUDGED else points(outcome.points, outcome.max_points),
        panels=tuple(panel_view(panel) for panel in outcome.panels),
        prompt=written(outcome.prompt, lang),
    )


def _name(outcome: Outcome, lang: str) -> str:
    return line(say(outcome.says or outcome.case, lang))


def _remark(outcome: Outcome, lang: str) -> str:
    return labelled(_name(outcome, lang), spoken(outcome.message, lang), lang)


def _source(result: Result, lang: str) -> tuple[SourceView, ...]:
    """The learner's lines that an exception passed through, innermost last; far too many (a recursion) are cut in front."""
    cells = result.cells or (0,) * len(result.source)
    placed = list(zip(result.source, cells, strict=True))[-MOST_FRAMES:]
    seen = []
    for place, ((number, function, code), cell) in enumerate(placed, 1):
        caret = len(lines(code[: result.column - 1])[0]) if place == len(placed) and result.column else None
        at = say(message("cell {cell}, {line}", cell=cell, line=number), lang) if cell else str(number)
        caret = caret if caret is None or caret <= 200 else None
        seen.append(SourceView(at, number, line(function), lines(code)[0].rstrip(), caret))
    return tuple(seen)


def _counted_aloud(report: Report) -> list[Message]:
    notes = []
    if report.not_judged and len(report.results) > 1:  # a single result says it itself
        notes.append(message("Answers that wait for a person: {n}. They count neither way yet.", n=report.not_judged))
    ours = sum(result.verdict is Verdict.GRADER_ERROR for result in report.results)
    if ours:
        notes.append(message("Not graded because of a fault of ours: {n}. They count neither way.", n=ours))
    nothing = [result for result in report.results if result.verdict is Verdict.NOT_SUBMITTED]
    if len(report.results) > 1 and (begun := sum(bool(result.path) for result in nothing)):
        notes.append(message("Not started: {n}. They count as 0 points.", n=begun))
    if absent := sum(not result.path for result in nothing):
        notes.append(message("Not handed in: {n}. They count as 0 points.", n=absent))
    return notes


def _footer(report: Report) -> list[Message]:
    if all(result.kind == "quiz" for result in report.results):
        return []  # no code ran
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
