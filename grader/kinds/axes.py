"""Axes in, sizes out: an axis is a name, a number, or a few of them joined by `*` and `+`, such as `H*K` or `P+T`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod

_TERM = r"(?:[A-Za-z][A-Za-z0-9_]*|[1-9][0-9]{0,3})"
PATTERN = rf"^{_TERM}(?:[*+]{_TERM})*$"

Axis = str | int


def names_in(axis: Axis) -> tuple[str, ...]:
    """Return the axis names that an axis is made of: `("H", "K")` for `H*K`, none for a number."""
    return tuple(re.findall(r"[A-Za-z][A-Za-z0-9_]*", axis)) if isinstance(axis, str) else ()


def size_of(axis: Axis, sizes: Mapping[str, int]) -> int:
    """Return the size of an axis; `*` binds tighter than `+`. Raise KeyError where a name has no size."""
    if isinstance(axis, int):
        return axis
    return sum(prod(int(t) if t.isdigit() else sizes[t] for t in term.split("*")) for term in axis.split("+"))


def is_sized(axis: Axis, sizes: Mapping[str, int]) -> bool:
    """Whether every name in the axis has a size."""
    return all(name in sizes for name in names_in(axis))
