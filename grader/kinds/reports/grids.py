"""A panel of numbers in, two grids of short texts out, each cell with its shade and whether it is wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from grader.kinds.reports.escape import line
from grader.model import Panel

LARGEST = 16  # rows and columns of a grid
SHADES = 9


@dataclass(frozen=True)
class Cell:
    """One number. `shade` is "" or p1…p9 (above zero) or n1…n9 (below); `first` marks the first wrong one in reading order."""

    text: str
    shade: str
    wrong: bool
    first: bool


@dataclass(frozen=True)
class Row:
    """One row; `total` is the sum of all its numbers where rows are meant to add up to 1, else ""."""

    head: str
    cells: tuple[Cell, ...]
    total: str


@dataclass(frozen=True)
class Grid:
    """One side of a panel: `what` is "got" or "expected"."""

    what: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class PanelView:
    """Got beside expected. `caption` names the result and where it was cut out, `corner` the two axes."""

    caption: str
    corner: str
    cut: bool
    grids: tuple[Grid, Grid]


def panel_view(panel: Panel) -> PanelView:
    """Return both grids with numbers short enough to read and long enough to show every difference."""
    digits = _digits(panel)
    # The expected side sets the scale: one huge wrong number must not turn all others white.
    top = max((abs(x) for row in panel.expected for x in row if math.isfinite(x)), default=0.0) or 1.0
    first = next(((i, j) for i, row in enumerate(panel.wrong) for j, bad in enumerate(row) if bad), None)
    got = _grid("got", panel, panel.got, digits, top, first)
    expected = _grid("expected", panel, panel.expected, digits, top, None)
    cut = any(len(grid) > LARGEST or any(len(row) > LARGEST for row in grid) for grid in (panel.got, panel.expected))
    caption = ", ".join(part for part in (line(panel.title), line(panel.at)) if part)
    return PanelView(caption, f"{line(panel.axes[0])}\\{line(panel.axes[1])}", cut, (got, expected))


def _grid(
    what: str,
    panel: Panel,
    values: Sequence[Sequence[float]],
    digits: int,
    top: float,
    first: tuple[int, int] | None,
) -> Grid:
    rows = []
    for i, numbers in enumerate(values[:LARGEST]):
        cells = tuple(
            Cell(short(x, digits), _shade(x, top), what == "got" and _wrong(panel, i, j), (i, j) == first)
            for j, x in enumerate(numbers[:LARGEST])
        )
        rows.append(Row(str(i), cells, short(sum(numbers), digits) if panel.row_sums else ""))
    columns = min(LARGEST, max((len(row) for row in values), default=0))
    return Grid(what, tuple(str(j) for j in range(columns)), tuple(rows))


def _wrong(panel: Panel, i: int, j: int) -> bool:
    return i < len(panel.wrong) and j < len(panel.wrong[i]) and panel.wrong[i][j]


def _digits(panel: Panel) -> int:
    """The fewest digits, from 2 to 6, with which every wrong cell reads differently from the right one."""
    pairs = [
        (got, expected)
        for got_row, expected_row, wrong_row in zip(panel.got, panel.expected, panel.wrong, strict=False)
        for got, expected, wrong in zip(got_row, expected_row, wrong_row, strict=False)
        if wrong
    ]
    return next((d for d in range(2, 6) if all(short(a, d) != short(b, d) for a, b in pairs)), 6 if pairs else 2)


def short(value: float, digits: int) -> str:
    """Return the number with `digits` decimals, without a sign on zero; very large and very small ones as powers of ten."""
    if math.isnan(value) or math.isinf(value):
        return {True: "nan", False: "inf" if value > 0 else "-inf"}[math.isnan(value)]
    if abs(value) >= 10_000:
        return f"{value:.{digits}g}"
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def _shade(value: float, top: float) -> str:
    if not math.isfinite(value) or value == 0:
        return ""
    level = max(1, min(SHADES, round(abs(value) / top * SHADES)))
    return f"{'p' if value > 0 else 'n'}{level}"
