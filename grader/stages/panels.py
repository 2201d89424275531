"""What a check saw and found in, small pictures out: got beside expected, two axes, cut around the worst place."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.kinds.checks import ATOL, RTOL, Finding, Seen
from grader.kinds.numbers import Array, as_float, is_float
from grader.model import Panel, Tensor

MOST = 8
"""Rows and columns that a panel shows at most."""


def panels(seen: Seen, finding: Finding | None) -> tuple[Panel, ...]:
    """Return a panel for each result of two axes or more that differs; nothing where values were not at fault."""
    if finding is None or finding.worst is None:
        return ()
    found = (_panel(seen, name) for name in seen.expected)
    return tuple(panel for panel in found if panel)


def _panel(seen: Seen, name: str) -> Panel | None:
    got, expected, axes = seen.results[name], seen.expected[name], seen.case.returns[name]
    if (
        not isinstance(expected, Tensor)
        or not isinstance(axes, tuple)
        or len(axes) < 2
        or len(axes) != len(expected.shape)
    ):
        return None
    if got.shape != expected.shape or 0 in expected.shape:
        return None
    a, b = as_float(got), as_float(expected)
    if np.iscomplexobj(a) or np.iscomplexobj(b):
        return None
    with np.errstate(invalid="ignore"):
        close = (a == b) | (np.abs(a - b) <= (ATOL + RTOL * np.abs(b) if is_float(expected) else 0))
    if close.all():
        return None
    lead = tuple(int(i) for i in np.argwhere(~close)[0][:-2])
    at = ", ".join(f"{axis}={i}" for axis, i in zip(axes, lead, strict=False))
    cut: tuple[Any, ...] = (*lead, slice(0, MOST), slice(0, MOST))
    whole_rows = expected.shape[-1] <= MOST
    sums = bool(whole_rows and is_float(expected) and (b >= 0).all() and np.allclose(b.sum(-1), 1, atol=1e-6))
    return Panel(name, (str(axes[-2]), str(axes[-1])), at, _rows(a[cut]), _rows(b[cut]), _flags(~close[cut]), sums)


def _rows(values: Array) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(float(v) for v in row) for row in values)


def _flags(values: Array) -> tuple[tuple[bool, ...], ...]:
    return tuple(tuple(bool(v) for v in row) for row in values)
