"""Wrong ways to number tokens: out come waves of another frequency or layout, or sums with the wrong rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def columns(d: int) -> Tensor:
    """Return the numbers of the columns (d,)."""
    return torch.arange(d, dtype=torch.float64)


def exponents_doubled(d: int) -> Tensor:
    """Double an index that steps by 2 already."""
    return 4 * torch.floor(columns(d) / 2) / d


def exponents_halved(d: int) -> Tensor:
    """Count pairs, and forget the 2."""
    return torch.floor(columns(d) / 2) / d


def exponents_cut(d: int) -> Tensor:
    """Divide whole numbers by `//`: nothing is left of the exponent."""
    return torch.zeros(d, dtype=torch.float64)


def for_pairs_too(exponents: Callable[[int], Tensor]) -> dict[str, Callable[..., Any]]:
    """Return wrong exponents for each column of a table, and for each pair of features that is rotated."""
    return {"exponents": exponents, "rotary_exponents": lambda d: exponents(d)[::2]}


def in_halves(angles: Tensor) -> Tensor:
    """Put all sines first and all cosines after them."""
    first = angles[:, 0::2]  # one of each pair
    return torch.cat([torch.sin(first), torch.cos(first[:, : angles.shape[1] // 2])], dim=-1)


def cosines_first(angles: Tensor) -> Tensor:
    """Exchange sine and cosine."""
    even = torch.arange(angles.shape[-1]) % 2 == 0
    return torch.where(even, torch.cos(angles), torch.sin(angles))


def as_many_cosines_as_sines(angles: Tensor) -> Tensor:
    """Fill even and odd columns from one set of angles: an error where there is one odd column fewer."""
    table = torch.empty_like(angles)
    table[:, 0::2] = torch.sin(angles[:, 0::2])
    table[:, 1::2] = torch.cos(angles[:, 0::2])
    return table


def row_of_sample(x: Tensor, table: Tensor) -> Tensor:
    """Take one row for each entry of the first axis, and give it to all tokens there."""
    return table[: x.shape[0]].unsqueeze(1)


def side_by_side(x: Tensor, rows: Tensor) -> Tensor:
    """Append positions as further features."""
    return torch.cat([x, rows.expand(*x.shape[:-1], rows.shape[-1])], dim=-1)


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "frequency_exponent_doubled": for_pairs_too(exponents_doubled),
    "frequency_exponent_halved": for_pairs_too(exponents_halved),
    "frequency_exponent_cut": for_pairs_too(exponents_cut),
    "cosine_of_next_frequency": {"exponents": lambda d: columns(d) / d},
    "cosine_of_next_frequency_doubled": {"exponents": lambda d: 2 * columns(d) / d},
    "position_multiplied": {"angles": lambda position, exponent, base: position[:, None] * base**exponent},
    "position_divided_whole": {"angles": lambda position, exponent, base: position[:, None] // base**exponent},
    "base_ignored": {"angles": lambda position, exponent, base: position[:, None] / 10000.0**exponent},
    "base_of_a_thousand": {"angles": lambda position, exponent, base: position[:, None] / 1000.0**exponent},
    "sines_before_cosines": {"waves": in_halves},
    "sine_and_cosine_exchanged": {"waves": cosines_first},
    "cosine_missing": {"waves": torch.sin},
    "odd_width_forgotten": {"waves": as_many_cosines_as_sines},
    "positions_from_one": {"positions": lambda n: torch.arange(1, n + 1, dtype=torch.float64)},
    "position_of_the_sample": {"rows_for": row_of_sample},
    "table_cut_by_samples": {"rows_for": lambda x, table: table[: x.shape[0]]},
    "table_not_cut": {"rows_for": lambda x, table: table},
    "table_cut_at_the_end": {"rows_for": lambda x, table: table[-x.shape[-2] :]},
    "positions_not_added": {"place": lambda x, rows: x},
    "positions_concatenated": {"place": side_by_side},
    "positions_multiplied": {"place": lambda x, rows: x * rows},
    "embeddings_not_enlarged": {"enlarge": lambda x: x},
    "embeddings_enlarged_by_d": {"enlarge": lambda x: x * x.shape[-1]},
    "embeddings_shrunk": {"enlarge": lambda x: x / math.sqrt(x.shape[-1])},
    "positions_enlarged_too": {
        "enlarge": lambda x: x,
        "place": lambda x, rows: (x + rows) * math.sqrt(x.shape[-1]),
    },
    "length_not_checked": {"fit_in_table": lambda n, rows: None},
}
