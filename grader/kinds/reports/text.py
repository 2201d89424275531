"""The report for a terminal: the sentence that matters, its evidence, one picture, the other cases in a line, the next step.

What one screen cannot hold stands in the other formats.
"""

from __future__ import annotations

from grader.kinds.reports.escape import unmarked
from grader.kinds.reports.groups import grouped
from grader.kinds.reports.page import INDENT, Page, clip, listed
from grader.kinds.reports.parts import CaseView, ModuleView, ReportView, ResultView, VerdictView
from grader.kinds.reports.pictures import example, panel
from grader.kinds.reports.style import REPORTS, ReportStyle
from grader.kinds.reports.terminal import cells, pad
from grader.kinds.reports.view import labelled, report_view
from grader.model import Report

PRINTED = 12  # lines of what the learner's code printed


@REPORTS.word("text")
def render(report: Report, style: ReportStyle) -> str:
    """For people, in a terminal: plain when piped, as wide as the terminal, at most 110 columns."""
    view, page = report_view(report, style.lang), Page(style)
    if len(view.results) == 1:
        _alone(page, view, view.results[0])
    else:
        short = [result for result in view.results if not result.brief and result.verdict.word != "passed"]
        for result in short:
            page.gap()
            _among_others(page, view, result)
        page.gap()
        _overview(page, view)
        if short:
            page.add(view.words["more"], "dim")
    page.gap()
    for note in view.notes:
        page.add(note)
    for fact in view.footer:
        page.add(fact, "dim")
    # Escaping comes last: a line break of ours could put learner text at the start of a line.
    return unmarked("\n".join(page.rows)).strip("\n") + "\n"


def _alone(page: Page, view: ReportView, result: ResultView) -> None:
    _facts(page, result)
    example(page, view, result)
    panel(page, view, result)
    if result.cases and result.verdict.word != "passed":
        page.gap()
        if result.tally:
            page.add(result.tally, first=INDENT)
        if result.kind == "quiz":
            _answers(page, view, result)
        else:
            _groups(page, view, result)
    _further(page, view, result)
    _next(page, result)


def _among_others(page: Page, view: ReportView, result: ResultView) -> None:
    _facts(page, result)
    wrong = [case for case in result.cases if result.kind == "quiz" and case.verdict.word == "failed"]
    if wrong:
        told = labelled(view.words["wrong"], listed(view, tuple(case.label for case in wrong)), view.lang)
        page.add(told, first=f"{INDENT}{page.ink(wrong[0].verdict.mark, wrong[0].verdict.ink)} ", rest=INDENT * 2)
    _next(page, result)


def _facts(page: Page, result: ResultView) -> None:
    _title(page, result)
    page.add(result.headline, "bold", first=INDENT)
    if result.source and not result.named:
        _source(page, result)
    for detail in result.details:
        page.add(detail, first=INDENT)
    if result.source and result.named:  # what was raised is the last of the details then
        _source(page, result)


def _next(page: Page, result: ResultView) -> None:
    if result.next_step:
        if result.verdict.word != "passed":
            page.gap()
        page.add(result.next_step, "cyan", first=INDENT + "→ ")


def _title(page: Page, result: ResultView) -> None:
    """Mark, title and slug on the left, points at the right edge where they fit."""
    name = result.title if result.title == result.slug else f"{result.title} ({result.slug})"
    left, inks = f"{result.verdict.mark} {name}", (result.verdict.ink, "bold")
    room = page.width - cells(left) - cells(result.points)
    if room >= 2:
        page.rows.append(page.ink(left, *inks) + " " * room + page.ink(result.points, "bold"))
    else:
        page.add(left, *inks, rest=INDENT)
        page.add(result.points, "bold", first=INDENT)


def _source(page: Page, result: ResultView) -> None:
    """The learner's own lines with their numbers, and a caret under the place of a syntax error."""
    page.gap()
    edge = max(cells(seen.at) for seen in result.source)
    room = page.width - edge - 7
    for seen in result.source:
        start = max(0, seen.caret - room + 4) if seen.caret is not None else 0
        page.rows.append(f"{INDENT}  {pad(seen.at, edge, right=True)} | {clip(seen.code[start:], room)}".rstrip())
        if seen.caret is not None:
            mark = " " * cells(seen.code[start : seen.caret]) + "^"
            page.rows.append(f"{INDENT}  {'':>{edge}} | {page.ink(mark, 'red', 'bold')}")
    page.gap()


def _groups(page: Page, view: ReportView, result: ResultView) -> None:
    """The cases that ended in the same way on one line; below it what the first of them says, where that is news."""
    for group in grouped(result, view.lang):
        first = f"{INDENT}{page.ink(group.verdict.mark, group.verdict.ink)} "
        page.add(labelled(group.label, listed(view, group.names), view.lang), first=first, rest=INDENT * 2)
        if group.news:
            page.add(labelled(group.first, group.news, view.lang), first=INDENT * 3)


def _answers(page: Page, view: ReportView, result: ResultView) -> None:
    """Each answer that has something to be told, then the others by what became of them."""
    quiet: dict[str, list[CaseView]] = {}
    for case in result.cases:
        if case.verdict.word in ("passed", "not_judged", "skipped"):
            quiet.setdefault(case.verdict.word, []).append(case)
            continue
        text = labelled(f"{case.label} {case.points}", case.message, view.lang)
        page.add(text, first=f"{INDENT}{page.ink(case.verdict.mark, case.verdict.ink)} ", rest=INDENT * 3)
    for cases in quiet.values():
        verdict = cases[0].verdict
        label = "" if verdict.word == "passed" else verdict.name
        names = listed(view, tuple(case.label for case in cases))
        page.add(labelled(label, names, view.lang), first=f"{INDENT}{page.ink(verdict.mark, verdict.ink)} ")


def _further(page: Page, view: ReportView, result: ResultView) -> None:
    """Further diagnoses, remarks, and what the learner's code printed."""
    for says in result.also:
        page.add(says, first=INDENT + "· ")
    if result.remarks:
        page.gap()
        page.add(view.words["remarks"], "dim", first=INDENT)
        for remark in result.remarks:
            page.add(remark, first=INDENT + "· ")
    if result.printed:
        page.gap()
        page.add(view.words["printed"], "dim", first=INDENT)
        for row in result.printed[:PRINTED]:
            page.rows.append(clip(f"{INDENT}| {row}", page.width).rstrip())
        if result.printed_cut or len(result.printed) > PRINTED:
            page.add(view.words["cut"], first=INDENT)


def _overview(page: Page, view: ReportView) -> None:
    """The modules of the course with one line a result, the sum, and what to go on with."""
    widest = max(cells(text) for text in (view.points, *(result.points for result in view.results)))
    column = min(max(cells(result.slug) for result in view.results), page.width // 2)
    for module in view.modules:
        page.add(f"{module.title} · {module.progress}", "bold")
        for result in module.results:
            if not result.brief:
                _line(page, result, column, widest, INDENT)
        _untouched(page, view, module)
    for result in view.others:
        _line(page, result, column, widest, "")
    total = pad(view.words["total"], page.width - widest - 2)
    page.rows.append(page.ink(f"{total}  {pad(view.points, widest, right=True)}", "bold"))
    if view.next_step:
        page.gap()
        page.add(view.next_step, "cyan", first="→ ")


def _untouched(page: Page, view: ReportView, module: ModuleView) -> None:
    """What a module has that nothing was done about yet, by what it is, a line each."""
    found: dict[VerdictView, list[str]] = {}
    for result in module.results:
        if result.brief:
            found.setdefault(result.verdict, []).append(result.slug)
    for verdict, slugs in found.items():
        told = labelled(verdict.name, listed(view, tuple(slugs)), view.lang)
        page.add(told, first=f"{INDENT}{page.ink(verdict.mark, verdict.ink)} ", rest=INDENT * 2)


def _line(page: Page, result: ResultView, column: int, widest: int, indent: str) -> None:
    mark = page.ink(result.verdict.mark, result.verdict.ink)
    room = page.width - widest - 4 - len(indent)
    name = clip(f"{pad(result.slug, column)}  {result.verdict.name}", room)
    page.rows.append(f"{indent}{mark} {pad(name, room)}  {pad(result.points, widest, right=True)}")
