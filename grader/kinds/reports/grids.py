"""A panel of numbers in, two grids of short texts out, each cell with its shade and whether it is wrong or masked."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from grader.kinds.reports.escape import line
from grader.model import Panel

LARGEST = 16  # rows and columns of a grid
SHADES = 9
MASKED = "·"
"""Stands for a 0 in a cell that is masked, so that the shape of the mask can be seen."""


@dataclass(frozen=True)
class Cell:
    """One number. `shade` is "" or p1…p9 (above zero) or n1…n9 (below); `first` marks the first wrong one in reading order."""

    text: str
    shade: str
    wrong: bool
    first: bool
    masked: bool


@dataclass(frozen=True)
class Row:
    """One row; `total` is the sum of all its numbers where rows are meant to add up to 1, else ""."""

    head: str
    cells: tuple[Cell, ...]
    total: str
    total_wrong: bool


@dataclass(frozen=True)
class Grid:
    """One side of a panel: `what` is "got" or "expected"."""

    what: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class PanelView:
    """Got beside expected. `caption` names the result and where it was cut out, `axes` those of rows and columns."""

    caption: str
    axes: tuple[str, str]
    grids: tuple[Grid, Grid]
    legend: tuple[str, ...]  # the words that have to be explained
    starred: bool  # whether wrong cells need a mark: not where all are wrong

    @property
    def corner(self) -> str:
        """The two axes in a few characters."""
        return "\\".join(self.axes)


def panel_view(panel: Panel) -> PanelView:
    """Return both grids with numbers short enough to read and long enough to show differences."""
    digits = _digits(panel)
    # The expected side sets the scale: one huge wrong number must not turn all others white.
    top = max((abs(x) for row in panel.expected for x in row if math.isfinite(x)), default=0.0) or 1.0
    grids = (_grid(panel, 0, digits, top), _grid(panel, 1, digits, top))
    caption = ", ".join(part for part in (line(panel.title), line(panel.at), _part(panel)) if part)
    axes = (line(panel.axes[0]), line(panel.axes[1]))
    cells = [cell for row in grids[0].rows for cell in row.cells]
    wrong = sum(cell.wrong for cell in cells)
    explained = {
        "legend": 0 < wrong < len(cells),
        "all_differ": wrong == len(cells) > 1,
        "masked_legend": any(cell.text == MASKED for cell in cells),
    }
    legend = tuple(word for word, needed in explained.items() if needed)
    return PanelView(caption, axes, grids, legend, "all_differ" not in legend)


def _part(panel: Panel) -> str:
    """Say which rows and columns are shown where that is not all: `T=4…11 (31)`."""
    shown = (len(panel.expected), max(map(len, panel.expected), default=0))
    sizes = panel.size or shown
    parts = zip(panel.axes, panel.start, shown, sizes, strict=True)
    return ", ".join(f"{line(axis)}={at}…{at + n - 1} ({size})" for axis, at, n, size in parts if n < size)


def _grid(panel: Panel, side: int, digits: int, top: float) -> Grid:
    values = (panel.got, panel.expected)[side][:LARGEST]
    columns = min(LARGEST, max(map(len, values), default=0))
    down, right = panel.start
    first = next(((i, j) for i, row in enumerate(panel.wrong) for j, bad in enumerate(row) if bad), None)
    rows = []
    for i, numbers in enumerate(values):
        cells = tuple(
            _cell(x, digits, top, side == 0 and _at(panel.wrong, i, j), (i, j) == first, _at(panel.masked, i, j))
            for j, x in enumerate(numbers[:LARGEST])
        )
        rows.append(Row(str(down + i), cells, *_total(panel, side, i, numbers)))
    return Grid(("got", "expected")[side], tuple(str(right + j) for j in range(columns)), tuple(rows))


def _cell(value: float, digits: int, top: float, wrong: bool, first: bool, masked: bool) -> Cell:
    text = MASKED if masked and value == 0 else short(value, digits)
    return Cell(text, _shade(value, top), wrong, wrong and first, masked)


def _total(panel: Panel, side: int, row: int, numbers: Sequence[float]) -> tuple[str, bool]:
    """The sum of a row as text, and whether it is not 1 though it should be."""
    if not panel.row_sums:
        return "", False
    sums = panel.sums[side]
    total = sums[row] if row < len(sums) else math.fsum(numbers) if all(map(math.isfinite, numbers)) else math.nan
    return short(total, 2), not abs(total - 1) < 0.005


def _at(grid: Sequence[Sequence[bool]], i: int, j: int) -> bool:
    return i < len(grid) and j < len(grid[i]) and grid[i][j]


def _digits(panel: Panel) -> int:
    """The fewest digits, from 2 to 6, with which the first wrong cell and most others read differently from the right ones.

    None where all numbers are whole.
    """
    rows = zip_longest(panel.got, panel.expected, panel.wrong, fillvalue=())
    cells = [cell for row in rows for cell in zip(*row, strict=False)]
    if all(float(x).is_integer() for got, expected, _ in cells for x in (got, expected)):
        return 0
    pairs = [(got, expected) for got, expected, wrong in cells if wrong]

    def enough(digits: int) -> bool:
        differ = [short(a, digits) != short(b, digits) for a, b in pairs]
        return all(differ[:1]) and sum(differ) >= 0.75 * len(pairs)

    return next((digits for digits in range(2, 6) if enough(digits)), 6)


def short(value: float, digits: int) -> str:
    """Return the number with `digits` decimals, without a sign on zero; very large and very small ones as powers of ten."""
    if math.isnan(value) or math.isinf(value):
        return {True: "nan", False: "inf" if value > 0 else "-inf"}[math.isnan(value)]
    if abs(value) >= 10_000:
        return f"{value:.{max(digits, 1)}g}"
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def _shade(value: float, top: float) -> str:
    if not math.isfinite(value) or value == 0:
        return ""
    level = max(1, min(SHADES, round(abs(value) / top * SHADES)))
    return f"{'p' if value > 0 else 'n'}{level}"
