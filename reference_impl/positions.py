"""Positions: in go numbers of tokens and features, or embeddings and a table; out come what tells tokens their place.

Source: Vaswani et al., "Attention Is All You Need", 2017, sections 3.4 and 3.5.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from .steps import CORRECT, Steps


# PE[p, 2i] = sin(p / base^(2i / d)),  PE[p, 2i + 1] = cos(p / base^(2i / d))
def sinusoidal_encoding(n: int, d: int, base: float = 10000.0, *, steps: Steps = CORRECT) -> Tensor:
    """Return the table (n, d) of sines and cosines in float64; with an odd d the last sine has no cosine (section 3.5)."""
    return steps.waves(steps.angles(steps.positions(n), steps.exponents(d), base))


# √d_model · x + PE[: n]
def add_positions(x: Tensor, pe: Tensor, *, steps: Steps = CORRECT) -> Tensor:
    """Return embeddings `x` (…, n, d) times √d (section 3.4) plus the first n rows of `pe` (rows, d).

    Raises ValueError where x is longer than the table.
    """
    steps.fit_in_table(x.shape[-2], pe.shape[0])
    return steps.place(steps.enlarge(x), steps.rows_for(x, pe))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sinusoidal_encoding": sinusoidal_encoding,
    "add_positions": add_positions,
}
