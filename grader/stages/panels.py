"""What a check saw and found in, small pictures out: got beside expected, two axes, cut around the first difference."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.kinds.checks import ATOL, RTOL, Finding, Seen
from grader.kinds.numbers import Array, as_float, is_float
from grader.model import Panel, Returned, Tensor, Value

MOST = 8
"""Rows and columns that a panel shows at most."""


def panels(seen: Seen, finding: Finding | None) -> tuple[Panel, ...]:
    """Return a panel for each result of two axes or more that differs, weights first; none where values were not at fault."""
    if finding is None or finding.worst is None:
        return ()
    found = (
        panel(seen.results[name], expected, seen.case.returns[name], title=name, masks=_masks(seen))
        for name, expected in seen.expected.items()
    )
    return tuple(sorted((picture for picture in found if picture), key=lambda picture: not picture.row_sums))


def _masks(seen: Seen) -> list[tuple[Array, tuple[str | int, ...]]]:
    """The bool arguments of a case, each with the names of its axes."""
    given = seen.case.arguments.items()
    return [(value.array, seen.case.axes[name]) for name, value in given if _is_mask(value) and name in seen.case.axes]


def _is_mask(value: Value) -> bool:
    return isinstance(value, Tensor) and value.dtype == "bool"


def panel(
    got: Tensor, expected: Value, axes: Returned, *, title: str, masks: list[tuple[Array, tuple[str | int, ...]]]
) -> Panel | None:
    """Return a picture of one result around its first difference; None where there is no difference, or no picture of it."""
    if not isinstance(expected, Tensor) or not isinstance(axes, tuple) or len(axes) < 2:
        return None
    if not len(axes) == len(expected.shape) == len(got.shape) or got.shape != expected.shape or 0 in expected.shape:
        return None
    a, b = as_float(got), as_float(expected)
    if np.iscomplexobj(a) or np.iscomplexobj(b):
        return None
    with np.errstate(invalid="ignore"):
        close = (a == b) | (np.abs(a - b) <= (ATOL + RTOL * np.abs(b) if is_float(expected) else 0))
    if close.all():
        return None
    *lead, row, column = (int(i) for i in np.argwhere(~close)[0])
    rows, columns = b.shape[-2:]
    start = (_start(row, rows), _start(column, columns))
    cut: tuple[Any, ...] = (*lead, *(slice(at, at + MOST) for at in start))
    sums = bool(is_float(expected) and (b >= 0).all() and np.allclose(b.sum(-1), 1, atol=1e-6))
    whole = cut[:-1]
    return Panel(
        title,
        (str(axes[-2]), str(axes[-1])),
        ", ".join(f"{axis}={i}" for axis, i in zip(axes, lead, strict=False)),
        _rows(a[cut]),
        _rows(b[cut]),
        _flags(~close[cut]),
        sums,
        (_numbers(a[whole].sum(-1)), _numbers(b[whole].sum(-1))) if sums else ((), ()),
        _flags(masked[cut]) if (masked := _masked(b, axes, masks)) is not None else (),
        start,
        (rows, columns),
    )


def _start(at: int, size: int) -> int:
    """Where a window of an axis begins that has `at` in it: at 0 if it can."""
    return 0 if at < MOST else min(at - MOST // 2, size - MOST)


def _masked(
    expected: Array, axes: tuple[str | int, ...], masks: list[tuple[Array, tuple[str | int, ...]]]
) -> Array | None:
    """Which cells a mask forbids: one whose axes are those of the result, and under which the right answer has nothing."""
    for mask, names in masks:
        same = all(name in (axis, 1) for name, axis in zip(reversed(names), reversed(axes), strict=False))
        if not same or not names or names[-1] != axes[-1] or len(names) > len(axes) or mask.all():
            continue
        forbidden = ~np.broadcast_to(mask, expected.shape)
        if np.isin(expected[forbidden], (0.0, -np.inf)).all():
            return forbidden
    return None


def _rows(values: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(_numbers(row) for row in values)


def _numbers(values: Array) -> tuple[float, ...]:
    return tuple(float(v) for v in values)


def _flags(values: Array) -> tuple[tuple[bool, ...], ...]:
    return tuple(tuple(bool(v) for v in row) for row in values)
