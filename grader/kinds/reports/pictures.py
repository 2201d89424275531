"""The pictures of a text report: a small example, and got beside expected."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from grader.kinds.reports.grids import Grid, PanelView
from grader.kinds.reports.page import INDENT, Page, listed
from grader.kinds.reports.parts import ReportView, ResultView
from grader.kinds.reports.terminal import cells, pad
from grader.kinds.reports.view import labelled

STACKED = 5  # rows of a grid where the two stand one above the other


def example(page: Page, view: ReportView, result: ResultView) -> None:
    """Small inputs on which the named mistake shows, with what it gives there."""
    if result.example is None:
        return
    given = listed(view, tuple(f"{name} {value}" for name, value in result.example.arguments), "；")
    page.gap()
    page.add(labelled(view.words["example"], given, view.lang), first=INDENT, rest=INDENT * 3)
    for name, got, expected in result.example.results:
        pair = listed(view, (f"{view.words['got']} {got}", f"{view.words['expected']} {expected}"), "，")
        page.add(labelled(name, pair, view.lang), first=INDENT * 2, rest=INDENT * 3)


def panel(page: Page, view: ReportView, result: ResultView) -> None:
    """Got beside expected for the case that is told of, or one above the other where it is narrow."""
    case = result.told
    if case is None or not case.panels:
        return
    shown = case.panels[0]
    for blocks in _blocks(view, shown):
        widths = [max(cells(row) for row in block) for block in blocks]
        if len(INDENT) + sum(widths) + 4 <= page.width:
            rows = [f"{INDENT}{pad(a, widths[0])}    {b}" for a, b in zip_longest(*blocks, fillvalue="")]
            break
    else:
        if len(INDENT) + max(widths) > page.width:
            return
        rows = [INDENT + row for block in blocks for row in block[: 2 + STACKED]]
    page.gap()
    page.add(labelled(case.name, shown.caption, view.lang), "bold", first=INDENT)
    page.rows += [row.rstrip() for row in rows]
    if shown.legend:
        page.add(listed(view, tuple(view.words[word] for word in shown.legend), "；"), "dim", first=INDENT)


def _blocks(view: ReportView, panel: PanelView) -> Iterator[list[list[str]]]:
    """Yield the two tables, wide ones first: the mark of a wrong cell can be what parts it from the next."""
    for gap in (" ", ""):
        yield [_grid(view, panel, grid, gap) for grid in panel.grids]


def _grid(view: ReportView, panel: PanelView, grid: Grid, gap: str) -> list[str]:
    """A small table; `*` marks a wrong cell."""
    totals = any(row.total for row in grid.rows)
    table = [[panel.corner, *(head + " " for head in grid.heads), *([view.words["sum"]] if totals else [])]]
    for row in grid.rows:
        numbers = [cell.text + ("*" if cell.wrong and panel.starred else " ") for cell in row.cells]
        table.append([row.head, *numbers, *([row.total] if totals else [])])
    widths = [max(cells(row[j]) for row in table if j < len(row)) for j in range(len(table[0]))]
    widths[1 : 1 + len(grid.heads)] = [max(widths[1 : 1 + len(grid.heads)])] * len(grid.heads)
    parts = ["", " ", *[gap] * (len(grid.heads) - 1), *([" "] if totals else [])]
    body = ["".join(parts[j] + pad(text, widths[j], right=j > 0) for j, text in enumerate(row)) for row in table]
    return [view.words[grid.what], *body]
