"""Checks of one result on its own: shape, dtype, finiteness, values."""

from __future__ import annotations

import numpy as np

from grader.kinds.checks.ladder import ATOL, RTOL, CheckKind, Finding, Rung, Seen, check, named
from grader.kinds.numbers import (
    Difference,
    as_float,
    compare,
    exact,
    is_complex,
    is_float,
    named_shape,
    place,
    shape_text,
    short,
)
from grader.model import SIZES, Message, Tensor, message


@check("shape")
class Shape(CheckKind):
    """Each result has exactly the expected shape; a wrong one is explained in axis names."""

    rung = Rung.SHAPE

    def judge(self, seen: Seen) -> Finding | None:
        for name, expected in seen.expected.items():
            got, axes = seen.results[name], seen.case.returns[name]
            if not isinstance(expected, Tensor) or got.shape == expected.shape or axes == SIZES:
                continue
            names = named_shape(got.shape, axes, seen.case.sizes)
            text = message(
                "got shape {got}, expected {expected}", got=shape_text(got.shape), expected=shape_text(expected.shape)
            )
            if names:
                wanted = "(" + ", ".join(str(axis) for axis in axes) + ")"
                text = message("{text}; in axes: got {got}, expected {expected}", text=text, got=names, expected=wanted)
            return Finding(named(name, text))
        return None


@check("dtype")
class Dtype(CheckKind):
    """A floating result keeps the inputs' dtype; any other result has exactly the reference's dtype.

    With `exact` a floating one has the reference's dtype too: an argument says which. `names` is the mistake that a floating
    result of another floating dtype is enough to name.
    """

    rung = Rung.DTYPE
    exact: bool = False
    names: str = ""

    def judge(self, seen: Seen) -> Finding | None:
        floats = [a.dtype for a in seen.case.arguments.values() if isinstance(a, Tensor) and is_float(a)]
        for name, expected in seen.expected.items():
            got = seen.results[name]
            if not isinstance(expected, Tensor):
                continue
            wanted = floats[0] if is_float(expected) and floats and not self.exact else expected.dtype
            free = is_float(expected) and not floats and not self.exact
            both = is_float(expected) and is_float(got) and is_complex(expected) is is_complex(got)
            if got.dtype != wanted and not (free and both):
                text = message("got dtype {got}, expected {expected}", got=got.dtype, expected=wanted)
                return Finding(named(name, text), mistakes=(self.names,) if self.names and both else ())
        return None


@check("finite")
class Finite(CheckKind):
    """No NaN or infinity where the right answer has a number."""

    rung = Rung.FINITE

    def judge(self, seen: Seen) -> Finding | None:
        for name, expected in seen.expected.items():
            if not isinstance(expected, Tensor):
                continue
            got = as_float(seen.results[name])
            finite = np.isfinite(got)
            if finite.all():
                continue
            bad = ~finite & np.isfinite(as_float(expected))
            if bad.any():
                first = tuple(int(i) for i in np.argwhere(bad)[0])
                text = message(
                    "{count} of {total} numbers are {what}, the first at {place}",
                    count=int(bad.sum()),
                    total=got.size,
                    what="NaN" if np.isnan(got[first]) else "inf",
                    place=place(first, seen.case.returns[name]),
                )
                return Finding(named(name, text))
        return None


def value_message(worst: Difference, axes: object, *, truth: bool = False) -> Message:
    """Say how many numbers differ, and where the worst one is. `truth` says that they are bools."""
    plain = bool if truth else _whole if worst.exact else short
    facts = {
        "wrong": worst.wrong,
        "total": worst.total,
        "place": place(worst.index, axes),
        "got": plain(worst.got),
        "expected": plain(worst.expected),
    }
    if worst.exact or not np.isfinite(worst.difference):
        return message(
            "{wrong} of {total} values differ; the first at {place}: got {got}, expected {expected}", **facts
        )
    return message(
        "{wrong} of {total} values differ; the largest difference is {difference} (allowed: {allowed}), at {place}: "
        "got {got}, expected {expected}",
        difference=short(worst.difference, 2),
        allowed=short(worst.allowed, 2),
        **facts,
    )


def _whole(number: float) -> str:
    """A whole number without decimals, where whole numbers are compared."""
    return str(int(number)) if number.is_integer() else short(number)


@check("values")
class Values(CheckKind):
    """Every number is within 1e-5 + 1e-4 * |expected| of the float64 reference; whole numbers and bools are equal."""

    rung = Rung.VALUES

    def judge(self, seen: Seen) -> Finding | None:
        for name, expected in seen.expected.items():
            got, axes = seen.results[name], seen.case.returns[name]
            if isinstance(expected, Tensor):
                worst = compare(got, expected, ATOL, RTOL)
                if worst is not None:
                    text = value_message(worst, axes, truth=expected.dtype == "bool")
                    return Finding(named(name, text), worst=worst)
            elif not exact(got, expected):
                text = message("got {got}, expected {expected}", got=short(got), expected=short(expected))
                return Finding(named(name, text))
        return None
