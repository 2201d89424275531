"""The report for a job of GitHub Actions: its log with annotations, and its step summary.

`--report github` prints the text report, then at most ten errors, ten warnings and ten notices (GitHub drops the rest without a
word), each on the learner's own line. The command line also appends `summary` to the file that GITHUB_STEP_SUMMARY names, where
it is set. `--report github=FILE` writes what would be printed, for a later step to print, and no summary. Paths stay as the user
wrote them: GitHub finds those that start at the root of the repository.

Learner text cannot give commands: it is escaped, and commands are switched off while the text report is printed, until a word
that depends on the whole text and so cannot stand in it.

GitHub Classroom reads two notices, `Points X/Y` and `{"totalPoints": X, "maxPoints": Y}`. They are left out when there is nothing
to reach, and when something could not be graded because of us: it would be recorded as zero.
"""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from grader.kinds.reports import markdown, text
from grader.kinds.reports.cases import without_hidden_values
from grader.kinds.reports.escape import unmarked
from grader.kinds.reports.json import counted
from grader.kinds.reports.rows import exact, place
from grader.kinds.reports.style import REPORTS, ReportStyle
from grader.kinds.reports.view import ResultView, points, report_view, spoken
from grader.locale import say
from grader.model import Message, Report, Result, Sayable, Verdict, message

ERROR, WARNING, NOTICE = "error", "warning", "notice"
MOST = 10  # annotations of one level in one step
QUIET = (Verdict.PASSED, Verdict.NOT_JUDGED, Verdict.NOT_SUBMITTED, Verdict.SKIPPED)

Pairs = list[tuple[Result, ResultView]]


@dataclass(frozen=True)
class Annotation:
    """One annotation; `line` and `column` count from 1."""

    level: str
    title: str
    text: str
    file: str = ""
    line: int | None = None
    column: int | None = None


@REPORTS.word("github")
def render(report: Report, style: ReportStyle) -> str:
    """For GitHub Actions and Classroom: the text report, annotations on the learner's own lines, and a step summary."""
    report = without_hidden_values(report)
    commands = (_command(one) for one in _shown(annotated(report, style.lang)))
    return "\n".join([_quoted(text.render(report, style)), *commands]) + "\n"


# ---------------------------------------------------------------- annotations


def annotated(report: Report, lang: str) -> list[Annotation]:
    """Return what GitHub is to show beside the files: errors, warnings, notices, the best of each first."""
    view = report_view(report, lang)
    pairs: Pairs = list(zip(report.results, view.results, strict=True))
    wrong = sorted((pair for pair in pairs if pair[0].verdict not in QUIET), key=lambda pair: _rank(pair[0]))
    how = view.words["how"]
    notes = (spoken(note, lang) for note in report.notes)
    return [
        *(_error(result, shown) for result, shown in wrong),
        *_absent(pairs, lang),
        *_remarks(pairs),
        *_classroom(report),
        *(Annotation(NOTICE, how, note) for note in notes),
    ]


def _rank(result: Result) -> tuple[bool, bool, bool, float]:
    """What helps most comes first: a fault of ours, an exact line, a named mistake, then the points that were lost."""
    ours = result.verdict is Verdict.GRADER_ERROR
    return not ours, not result.source, not result.diagnoses, result.score - result.max_score


def _error(result: Result, shown: ResultView) -> Annotation:
    told = [shown.headline, *shown.details, *([f"→ {shown.next_step}"] if shown.next_step else [])]
    title = f"{shown.title} {shown.points}"
    return Annotation(ERROR, title, "\n".join(told), shown.path, place(result), counted(result.column))


def _absent(pairs: Pairs, lang: str) -> Iterator[Annotation]:
    nothing = [(result, shown) for result, shown in pairs if result.verdict is Verdict.NOT_SUBMITTED]
    begun = [shown for result, shown in nothing if result.path]
    missing = [shown for result, shown in nothing if not result.path]
    for found, told in ((begun, message("Not started: {names}.", names=_listed(begun))),
                        (missing, message("Not handed in: {names}.", names=_listed(missing)))):  # fmt: skip
        if found:
            yield Annotation(WARNING, found[0].verdict.name, say(told, lang))


def _listed(results: list[ResultView]) -> str:
    return ", ".join(f"{shown.slug} {shown.points}" for shown in results)


def _remarks(pairs: Pairs) -> Iterator[Annotation]:
    for result, shown in pairs:
        for remark in shown.remarks:
            yield Annotation(WARNING, shown.title, remark, shown.path, place(result))


def _classroom(report: Report) -> Iterator[Annotation]:
    """The two notices that GitHub Classroom takes the points from; their words are an interface and in no language."""
    ours = any(result.verdict is Verdict.GRADER_ERROR for result in report.results)
    if report.max_score <= 0 or ours:
        return
    found = {"totalPoints": exact(report.score, report.max_score), "maxPoints": exact(report.max_score)}
    total = f"Points {points(report.score, report.max_score)}"
    yield Annotation(NOTICE, "Autograding complete", total)
    yield Annotation(NOTICE, "Autograding report", json.dumps(found, separators=(",", ":")))


def _shown(found: Iterable[Annotation]) -> list[Annotation]:
    """Return those that GitHub does not drop."""
    levels: dict[str, list[Annotation]] = {ERROR: [], WARNING: [], NOTICE: []}
    for one in found:
        levels[one.level].append(one)
    return [one for level in levels.values() for one in level[:MOST]]


# ---------------------------------------------------------------- commands


def _command(one: Annotation) -> str:
    line = one.line if one.file else None
    where = {"file": one.file, "line": line, "col": one.column if line else None}
    properties = {**where, "title": one.title}
    given = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items() if value)
    return f"::{one.level} {given}::{_data(one.text)}"


def _data(value: str) -> str:
    """Return a text as the message of a workflow command: on one line, whatever is in it."""
    return unmarked(value).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")


def _quoted(said: str) -> str:
    """Return a text between the commands that switch commands off and on again."""
    word = hashlib.sha256(said.encode()).hexdigest()
    return f"::stop-commands::{word}\n{said.rstrip()}\n::{word}::"


# ---------------------------------------------------------------- step summary


def summary(report: Report, style: ReportStyle, room: int) -> str:
    """Return the report as Markdown of at most `room` bytes, "" where not even its points fit.

    Where it is too long, results are cut down to their sentence from the last one on, and it says how many.
    """
    report = without_hidden_values(report)
    dropped = _dropped(report, style.lang)
    count = len(report.results)

    def page(whole: int) -> str:
        cut = message(
            "This summary is cut: GitHub takes no more. Results without details: {count}.", count=count - whole
        )
        notes: tuple[Sayable, ...] = (*((cut,) if whole < count else ()), *dropped, *report.notes)
        results = (*report.results[:whole], *(_brief(result) for result in report.results[whole:]))
        return markdown.render(replace(report, results=results, notes=notes), style)

    if _size(page(count)) <= room:
        return page(count)
    whole = bisect_right(range(count), room, key=lambda number: _size(page(number))) - 1
    least = page(whole) if whole >= 0 else markdown.render(replace(report, results=()), style)
    return least if _size(least) <= room else ""


def _size(page: str) -> int:
    return len(page.encode())


def _brief(result: Result) -> Result:
    return replace(result, outcomes=(), diagnoses=(), details=(), source=(), column=None, printed="", printed_cut=False)


def _dropped(report: Report, lang: str) -> list[Message]:
    """Say how many annotations GitHub does not show."""
    found = annotated(report, lang)
    left = len(found) - len(_shown(found))
    return (
        [message("Annotations that are not shown, since GitHub takes ten of a kind: {count}.", count=left)]
        if left
        else []
    )
