"""Comparing tensors as plain numbers, and saying where and by how much they differ.

Shapes are compared first, nothing is broadcast.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.kinds.axes import is_sized, size_of
from grader.model import Tensor

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Difference:
    """How two tensors of one shape differ: how many of how many, and the place that misses what is allowed by most."""

    wrong: int
    total: int
    index: tuple[int, ...]
    got: float
    expected: float
    difference: float
    allowed: float
    exact: bool = False


def is_float(value: Tensor) -> bool:
    """Whether the dtype is a floating or complex one."""
    return value.dtype.startswith(("float", "bfloat", "complex"))


def is_complex(value: Tensor) -> bool:
    """Whether the dtype is a complex one."""
    return value.dtype.startswith("complex")


def as_float(value: Tensor) -> Array:
    """The numbers in float64 (complex128 for complex ones): the array itself where it is that already, so not to be written to."""
    return value.array.astype(np.complex128 if value.dtype.startswith("complex") else np.float64, copy=False)


def compare(got: Tensor, expected: Tensor, atol: float, rtol: float) -> Difference | None:
    """Compare two tensors element by element; None when all are within atol + rtol * |expected|.

    Floating numbers are compared in float64; a NaN or infinity is equal only to itself. Anything else has to be equal.
    The shapes must be the same: compare them first.
    """
    whole = not is_float(expected)
    a, b = as_float(got), as_float(expected)
    if a.shape != b.shape:
        raise ValueError(f"cannot compare shapes {a.shape} and {b.shape}")
    with np.errstate(invalid="ignore", over="ignore"):
        allowed = np.zeros(b.shape) if whole else atol + rtol * np.abs(b)
        difference = np.abs(a - b)
        if (difference <= allowed).all() and np.isfinite(allowed).all():  # as it is with most answers
            return None
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        ok = same | (np.isfinite(b) & (difference <= allowed))
        if ok.all():
            return None
        excess = np.where(
            ok, -1.0, np.where(np.isnan(difference), np.inf, difference - np.where(np.isfinite(allowed), allowed, 0))
        )
    flat = int((~ok).argmax()) if whole else int(excess.argmax())
    index = tuple(int(i) for i in np.unravel_index(flat, b.shape))
    return Difference(
        int((~ok).sum()),
        int(b.size),
        index,
        _real(a[index]),
        _real(b[index]),
        _real(difference[index]),
        _real(allowed[index]),
        whole,
    )


def _real(number: Any) -> float:
    return float(np.abs(number)) if np.iscomplexobj(number) else float(number)


def exact(got: Any, expected: Any) -> bool:
    """Whether two plain values (numbers, tuples of them) are equal; a list equals a tuple, True does not equal 1."""
    if isinstance(expected, (tuple, list)):
        return (
            isinstance(got, (tuple, list))
            and len(got) == len(expected)
            and all(exact(g, e) for g, e in zip(got, expected, strict=True))
        )
    return type(got) is type(expected) and bool(got == expected)


def short(value: Any, digits: int = 4) -> str:
    """A number in few digits, a tuple of numbers as Python writes it. Differences below 1e-6 read `< 1e-6`."""
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(short(v) for v in value) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return str(value)
    if digits == 2 and 0 < abs(value) < 1e-6:
        return "< 1e-6"
    if digits == 2:
        return f"{value:.2g}"
    return f"{value:.{digits}f}" if 1e-3 <= abs(value) < 1e5 or value == 0 else f"{value:.{digits}g}"


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape as Python writes a tuple."""
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def place(index: tuple[int, ...], axes: object) -> str:
    """An index in axis names: `[B=0, H=1, T=3]`; plain numbers where the names do not fit."""
    names = axes if isinstance(axes, tuple) else ()
    if len(names) != len(index):
        return "[" + ", ".join(map(str, index)) + "]"
    return (
        "[" + ", ".join(f"{n}={i}" if isinstance(n, str) else str(i) for n, i in zip(names, index, strict=True)) + "]"
    )


def named_shape(shape: tuple[int, ...], axes: object, sizes: Mapping[str, int]) -> str:
    """Say a shape in axis names, `(B, H, E, T)`, or "" where a size belongs to no axis or to several."""
    expected = axes if isinstance(axes, tuple) else ()
    by_size: dict[int, list[str]] = {}
    for name, size in sizes.items():
        by_size.setdefault(size, []).append(name)
    names = []
    for position, size in enumerate(shape):
        known = by_size.get(size, [])
        here = expected[position] if position < len(expected) else None
        if isinstance(here, str) and is_sized(here, sizes) and size_of(here, sizes) == size:
            names.append(here)
        elif len(known) == 1:
            names.append(known[0])
        else:
            return ""
    return "(" + ", ".join(names) + ")" if names else ""
