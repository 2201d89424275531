"""What a part of a formula is worth: an array and the names of its axes; and what its symbols stand for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, eq=False)
class Typed:
    """A float64 array and the name of each of its axes; a scalar has no axes."""

    array: Array
    axes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "×".join(self.axes)

    @property
    def number(self) -> float:
        return float(self.array)


@dataclass(frozen=True)
class Scope:
    """What the symbols stand for. `names` maps every way to name a symbol to it; in Python `*` is element by element."""

    values: Mapping[str, Typed]
    names: Mapping[str, str]
    python: bool = False


def scalar(number: float) -> Typed:
    """Return a number as a value without axes."""
    return Typed(np.asarray(number, dtype=np.float64))
