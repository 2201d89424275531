"""The report for a terminal: the sentence that matters, then the evidence, then the next step."""

from __future__ import annotations

from itertools import zip_longest

from grader.kinds.reports.escape import unmarked
from grader.kinds.reports.grids import Grid, PanelView
from grader.kinds.reports.style import REPORTS, ReportStyle
from grader.kinds.reports.terminal import cells, pad, paint, wrap
from grader.kinds.reports.view import CaseView, ReportView, ResultView, labelled, report_view
from grader.model import Report

WIDEST, NARROWEST = 110, 30
INDENT = "  "


class Page:
    """Lines as they are written: knows the width, and whether to paint."""

    def __init__(self, style: ReportStyle):
        self.width = max(NARROWEST, min(WIDEST, style.width))
        self.color = style.color
        self.rows: list[str] = []

    def ink(self, text: str, *inks: str) -> str:
        """Return the text painted, or plain."""
        return paint(text, *inks) if self.color and text.strip() else text

    def add(self, text: str = "", *inks: str, first: str = "", rest: str | None = None) -> None:
        """Write a paragraph."""
        self.rows += [
            self.ink(row.rstrip(), *inks) if inks else row.rstrip() for row in wrap(text, self.width, first, rest)
        ]

    def gap(self) -> None:
        """Write one empty line, unless there is one."""
        if self.rows and self.rows[-1]:
            self.rows.append("")


@REPORTS.word("text")
def render(report: Report, style: ReportStyle) -> str:
    """For people, in a terminal: plain when piped, as wide as the terminal, at most 110 columns."""
    view, page = report_view(report, style.lang), Page(style)
    for result in view.results:
        if not (result.brief and len(view.results) > 1):
            page.gap()
            _result(page, view, result)
    if len(view.results) > 1:
        page.gap()
        _overview(page, view)
    page.gap()
    for note in view.notes:
        page.add(note)
    for fact in view.footer:
        page.add(fact, "dim")
    # Escaping comes last: a line break of ours could put learner text at the start of a line.
    return unmarked("\n".join(page.rows)).strip("\n") + "\n"


def _result(page: Page, view: ReportView, result: ResultView) -> None:
    _title(page, result)
    page.add(result.headline, "bold", first=INDENT)
    if result.source:
        _source(page, result)
    for detail in result.details:
        page.add(detail, first=INDENT)
    if result.cases and result.verdict.word != "passed":
        page.gap()
        _cases(page, view, result)
    _panel(page, view, result)
    _further(page, view, result)
    if result.next_step:
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
    edge = max(len(str(seen.number)) for seen in result.source)
    room = page.width - edge - 7
    for seen in result.source:
        start = max(0, seen.caret - room + 4) if seen.caret is not None else 0
        page.rows.append(f"{INDENT}  {seen.number:>{edge}} | {_clip(seen.code[start:], room)}".rstrip())
        if seen.caret is not None:
            mark = " " * cells(seen.code[start : seen.caret]) + "^"
            page.rows.append(f"{INDENT}  {'':>{edge}} | {page.ink(mark, 'red', 'bold')}")
    page.gap()


def _clip(text: str, room: int) -> str:
    if cells(text) <= room:
        return text
    kept = ""
    for char in text:
        if cells(kept + char) > room - 1:
            break
        kept += char
    return kept + "…"


def _cases(page: Page, view: ReportView, result: ResultView) -> None:
    names = [case.label for case in result.cases]
    column = min(max(cells(name) for name in names), page.width // 3)
    for name, case in zip(names, result.cases, strict=True):
        first = f"{INDENT}{page.ink(case.verdict.mark, case.verdict.ink)} "
        text = _case_text(view, result, case)
        if not text:
            page.add(name, first=first, rest=INDENT * 2)
            continue
        inset = len(INDENT) + 2 + column + 2
        body = wrap(text, page.width, " " * inset)
        if cells(name) <= column:
            body[0] = first + pad(name, column) + INDENT + body[0].lstrip()
        else:
            page.add(name, first=first, rest=INDENT * 2)
        page.rows += [row.rstrip() for row in body]


def _case_text(view: ReportView, result: ResultView, case: CaseView) -> str:
    """What a case says beside its name; nothing that the headline or a detail has said already."""
    word = case.verdict.word
    if word == "passed":
        return case.message if result.kind == "quiz" else ""
    told = case.message and any(case.message in said for said in (result.headline, *result.details))
    label = case.check if word == "failed" and result.kind == "exercise" else case.verdict.name
    if result.kind == "quiz" and word == "failed":
        label = case.points
    return label if told else labelled(label, case.message, view.lang)


def _panel(page: Page, view: ReportView, result: ResultView) -> None:
    """Got beside expected for the first case that has a picture, or one above the other where it is narrow."""
    found = next(((case, panel) for case in result.cases for panel in case.panels), None)
    if found is None:
        return
    case, panel = found
    blocks = [_grid(view, panel, grid) for grid in panel.grids]
    widths = [max(cells(row) for row in block) for block in blocks]
    if len(INDENT) + max(widths) > page.width:
        return
    page.gap()
    page.add(labelled(case.name, panel.caption, view.lang), "bold", first=INDENT)
    if len(INDENT) + sum(widths) + 4 <= page.width:
        page.rows += [f"{INDENT}{pad(a, widths[0])}    {b}".rstrip() for a, b in zip_longest(*blocks, fillvalue="")]
    else:
        page.rows += [(INDENT + row).rstrip() for block in blocks for row in block]
    if any(cell.wrong for grid in panel.grids for row in grid.rows for cell in row.cells):
        page.add(view.words["legend"], "dim", first=INDENT)


def _grid(view: ReportView, panel: PanelView, grid: Grid) -> list[str]:
    """A small table; `*` marks a wrong cell."""
    totals = any(row.total for row in grid.rows)
    table = [[panel.corner, *grid.heads, *([view.words["sum"]] if totals else [])]]
    for row in grid.rows:
        numbers = [cell.text + ("*" if cell.wrong else " ") for cell in row.cells]
        table.append([row.head, *numbers, *([row.total] if totals else [])])
    table[0][1 : 1 + len(grid.heads)] = [head + " " for head in grid.heads]
    widths = [max(cells(row[j]) for row in table if j < len(row)) for j in range(len(table[0]))]
    body = [" ".join(pad(text, widths[j], right=j > 0) for j, text in enumerate(row)) for row in table]
    return [view.words[grid.what], *body]


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
        for row in result.printed:
            page.add(row, first=INDENT + "| ", rest=INDENT + "| ")
        if result.printed_cut:
            page.add(view.words["cut"], first=INDENT)


def _overview(page: Page, view: ReportView) -> None:
    """One line a result, and the sum."""
    widest = max(cells(result.points) for result in view.results)
    widest = max(widest, cells(view.points))
    column = min(max(cells(result.slug) for result in view.results), page.width // 2)
    for result in view.results:
        mark = page.ink(result.verdict.mark, result.verdict.ink)
        name = _clip(f"{pad(result.slug, column)}  {result.verdict.name}", page.width - widest - 4)
        page.rows.append(f"{mark} {pad(name, page.width - widest - 4)}  {pad(result.points, widest, right=True)}")
    total = pad(view.words["total"], page.width - widest - 2)
    page.rows.append(page.ink(f"{total}  {pad(view.points, widest, right=True)}", "bold"))
