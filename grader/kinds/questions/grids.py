"""Two grids of numbers in, how they are alike out: cell by cell, or right up to an order, a sign or a factor."""

from __future__ import annotations

from typing import Any

from grader.kinds.questions.reading import Grid
from grader.model import Sayable, message


def agree(got: float | None, right: float | None, most: float) -> bool:
    """Whether one cell is right; a blank one never is."""
    return got is not None and right is not None and abs(got - right) <= most


def same(got: Grid, right: Grid, most: float) -> bool:
    """Whether two grids agree in shape and in every cell."""
    return got.shape == right.shape and all(agree(a, b, most) for a, b in zip(got.cells, right.cells, strict=True))


def sized(shape: tuple[int, ...]) -> Sayable:
    """Return "3 numbers" or "a 2×3 matrix"."""
    if shape in ((), (1,)):
        return message("one number")
    if len(shape) == 1:
        return message("{n} numbers", n=shape[0])
    return message("a {shape} matrix", shape="×".join(str(size) for size in shape))


def shape_example(shape: tuple[int, ...]) -> str:
    """Return an example of an answer of this shape, as YAML."""
    row = "[" + ", ".join(["2/√7", "-0.25", "0.5", "1e-3"][index % 4] for index in range(shape[-1])) + "]"
    for size in reversed(shape[:-1]):
        row = "[" + ", ".join([row] * size) + "]"
    return row


def place(index: int, shape: tuple[int, ...]) -> str:
    """Return where a cell is, counted from 1: `3` in a vector, `(1, 2)` in a matrix."""
    if len(shape) < 2:
        return str(index + 1)
    where = []
    for size in reversed(shape):
        index, rest = divmod(index, size)
        where.append(str(rest + 1))
    return f"({', '.join(reversed(where))})"


def likeness(got: Grid, key: Grid, most: float) -> Sayable | None:
    """Return in what way all numbers are nearly right: transposed, in another order, with the other sign, or up to a factor."""
    cells, right = [cell for cell in got.cells if cell is not None], [cell or 0.0 for cell in key.cells]
    if len(cells) < len(right):
        return None
    if same(turned(got), key, most):
        return message("they are right up to a transposition")
    if got.shape != key.shape:
        return None
    if all(abs(a + b) <= most for a, b in zip(cells, right, strict=True)):
        return message("they are right up to the sign")
    if all(abs(a - b) <= most for a, b in zip(sorted(cells), sorted(right), strict=True)):
        return message("they are right but in another order")
    return _rows(cells, right, key.shape, most) or _scaled(cells, right, most)


def turned(grid: Grid) -> Grid:
    """Return a matrix with its rows as columns; anything else as it is."""
    if len(grid.shape) != 2:
        return grid
    rows, columns = grid.shape
    cells = tuple(grid.cells[row * columns + column] for column in range(columns) for row in range(rows))
    return Grid((columns, rows), cells)


def _rows(cells: list[float], right: list[float], shape: tuple[int, ...], most: float) -> Sayable | None:
    """Say it when every row of a table of weights is right up to a factor of its own."""
    width = shape[-1]
    rows = range(0, len(right), width)
    if len(shape) < 2 or width < 2 or any(abs(sum(right[at : at + width]) - 1) > width * most for at in rows):
        return None
    if all(_scaled(cells[at : at + width], right[at : at + width], most) for at in rows):
        return message("the proportions in each row are right, but the rows do not add up to 1")
    return None


def _scaled(cells: list[float], right: list[float], most: float) -> Sayable | None:
    largest = max(range(len(right)), key=lambda index: abs(right[index]))
    factor = cells[largest] / right[largest] if right[largest] else 0.0
    if factor <= 0 or any(abs(a - factor * b) > 2 * most * max(factor, 1.0) for a, b in zip(cells, right, strict=True)):
        return None
    if abs(sum(right) - 1) <= len(right) * most:
        return message(
            "their proportions are right, but they add up to {total} and not to 1", total=f"{sum(cells):.4g}"
        )
    return message(
        "their proportions are right, but all are {factor} times as large as they should be", factor=f"{factor:.4g}"
    )


def nested(cells: list[float], shape: tuple[int, ...]) -> list[Any]:
    """Return the cells of a grid as nested lists of this shape."""
    if len(shape) < 2:
        return cells
    step = len(cells) // shape[0]
    return [nested(cells[start : start + step], shape[1:]) for start in range(0, len(cells), step)]
