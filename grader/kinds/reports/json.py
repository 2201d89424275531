"""The report for programs: JSON, format 1 (fields may be added, never renamed)."""

from __future__ import annotations

import json
from itertools import zip_longest
from math import isfinite
from typing import Any

from grader.kinds.reports.cases import without_hidden_values
from grader.kinds.reports.escape import line, lines, unmarked
from grader.kinds.reports.style import REPORTS, ReportStyle
from grader.kinds.reports.view import spoken
from grader.model import Diagnosis, Example, Outcome, Report, Result, Sayable, Tensor, Value

FORMAT = 1


@REPORTS.word("json")
def render(report: Report, style: ReportStyle) -> str:
    """Everything that was found, for programs: one JSON object, format 1, UTF-8."""
    return dumped(_report(without_hidden_values(report), style.lang))


def dumped(plain: dict[str, Any]) -> str:
    """Return JSON that is harmless in a build log, and in a page that somebody pastes it into."""
    text = json.dumps(plain, ensure_ascii=False, indent=2, allow_nan=False)
    # All of these stand inside strings, where the escape is the same text.
    text = text.replace("</", "<\\/").replace("<!--", "\\u003c!--")
    return unmarked(text, bracket="\\u005b") + "\n"


def _report(report: Report, lang: str) -> dict[str, Any]:
    isolation = report.isolation
    return {
        "format": FORMAT,
        "lang": lang,
        "score": plain_number(report.score),
        "max_score": plain_number(report.max_score),
        "not_judged": report.not_judged,
        "isolation": {
            "level": isolation.level,
            "layers": [line(layer) for layer in isolation.layers],
            "keeps_answers": isolation.keeps_answers,
            "note": _text(isolation.note, lang),
        },
        "device": report.device,
        "seed": report.seed,
        "notes": [spoken(note, lang) for note in report.notes],
        "results": [_result(result, lang) for result in report.results],
    }


def _result(result: Result, lang: str) -> dict[str, Any]:
    return {
        "kind": result.kind,
        "slug": line(result.slug),
        "title": spoken(result.title, lang),
        "path": line(result.path),
        "verdict": result.verdict.value,
        "score": plain_number(result.score),
        "max_score": plain_number(result.max_score),
        "headline": _text(result.headline, lang),
        "details": [spoken(detail, lang) for detail in result.details],
        "next_step": _text(result.next_step, lang),
        "source": [
            {"line": at, "function": line(f), "code": lines(code)[0], "cell": cell or None}
            for (at, f, code), cell in zip_longest(result.source, result.cells)
        ],
        "column": counted(result.column),
        "line": counted(result.line),
        "outcomes": [_outcome(outcome, lang) for outcome in result.outcomes],
        "diagnoses": [_diagnosis(diagnosis, lang) for diagnosis in result.diagnoses],
        "example": _example(result.example),
        "printed": "\n".join(lines(result.printed)) if result.printed else "",
        "printed_cut": result.printed_cut or result.printed.count("\n") >= 1000,
    }


def _outcome(outcome: Outcome, lang: str) -> dict[str, Any]:
    return {
        "case": line(outcome.case),
        "check": line(outcome.check),
        "verdict": outcome.verdict.value,
        "hidden": outcome.hidden,
        "remark": outcome.remark,
        "points": plain_number(outcome.points),
        "max_points": plain_number(outcome.max_points),
        "message": _text(outcome.message, lang),
        "flags": [spoken(flag, lang) for flag in outcome.flags],
    }


def _diagnosis(diagnosis: Diagnosis, lang: str) -> dict[str, Any]:
    return {
        "mistakes": [line(mistake) for mistake in diagnosis.mistakes],
        "codes": [line(code) for code in diagnosis.codes],
        "matched_calls": diagnosis.matched_calls,
        "of_calls": diagnosis.of_calls,
        "same": diagnosis.same,
        "text": " ".join(spoken(text, lang) for text in (*diagnosis.says, *diagnosis.asks)),
    }


def _example(example: Example | None) -> dict[str, Any] | None:
    if example is None:
        return None
    parts = {"arguments": example.arguments, "got": example.got, "expected": example.expected}
    return {part: {line(name): _plain(value) for name, value in values.items()} for part, values in parts.items()}


def _plain(value: Value) -> Any:
    """A value as JSON has it: tensors and tuples as lists, numbers to nine digits, and a word for one that is not finite."""
    if isinstance(value, Tensor):
        return _plain(value.array.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        return float(f"{value:.9g}") if isfinite(value) else str(value)
    return value if value is None or isinstance(value, (bool, int)) else line(str(value))


def _text(text: Sayable | None, lang: str) -> str | None:
    return spoken(text, lang) or None


def counted(place: int | None) -> int | None:
    """Return a line or column of a file, None for what is none: a child may claim any number."""
    return place if place is not None and 0 < place < 10_000_000 else None


def plain_number(value: float) -> int | float:
    """Points without the noise of adding floats; whole ones as whole numbers."""
    rounded = round(value, 9)
    return int(rounded) if rounded == int(rounded) else rounded
