"""The cases of one result in, groups of them out: those that ended in the same way stand on one line."""

from __future__ import annotations

from dataclasses import dataclass

from grader.kinds.reports.parts import CaseView, ResultView, VerdictView
from grader.kinds.reports.view import tagged


@dataclass(frozen=True)
class Group:
    """Cases that ended in the same way. `label` says how, "" where the mark does.

    `news` is what `first`, the first of them, says that neither a sentence before it nor a named mistake has said already.
    """

    verdict: VerdictView
    label: str
    hidden: bool
    names: tuple[str, ...]
    first: str
    news: str


def grouped(result: ResultView, lang: str) -> tuple[Group, ...]:
    """Return the cases of an exercise: visible ones that fail, visible ones that pass, then hidden ones that fail."""
    found: dict[tuple[bool, bool, str, str], list[CaseView]] = {}
    for case in result.cases:
        passed = case.verdict.word == "passed"
        if passed and case.hidden:
            continue  # how many of them pass is said; there is nothing to do about a name
        label = "" if passed else case.check if case.verdict.word == "failed" else case.verdict.name
        label = tagged(label, lang) if case.hidden else label
        found.setdefault((case.hidden, passed, label, case.verdict.word), []).append(case)
    ordered = sorted(found.items(), key=lambda entry: entry[0][:2])
    return tuple(_group(result, hidden, label, cases) for (hidden, _, label, _), cases in ordered)


def _group(result: ResultView, hidden: bool, label: str, cases: list[CaseView]) -> Group:
    told = result.named or result.told in cases or cases[0].verdict.word in ("passed", "skipped")
    first = None if told else next((case for case in cases if case.message), None)
    names = tuple(case.name for case in cases)
    return Group(cases[0].verdict, label, hidden, names, first.name if first else "", first.message if first else "")
