"""The steps of positions: in go numbers of tokens and features, or embeddings and a table; out come waves, or sums.

"The paper" is Vaswani et al., "Attention Is All You Need", 2017; its section 3.5 is about positions.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

# ---------------------------------------------------------------- the table


def positions(n: int) -> Tensor:
    """Return the numbers of the tokens (n,), counted from 0."""
    return torch.arange(n, dtype=torch.float64)


# 2⌊c / 2⌋ / d
def exponents(d: int) -> Tensor:
    """Return, for each column, the power of the base that its wavelength grows with (d,); a pair of columns shares one."""
    column = torch.arange(d, dtype=torch.float64)
    return 2 * torch.floor(column / 2) / d


# p / base^(2i / d)
def angles(position: Tensor, exponent: Tensor, base: float) -> Tensor:
    """Return the angle of each position in each column (n, d): the later the column, the slower it turns."""
    return position[:, None] / base**exponent


# sin, cos, sin, cos, …
def waves(angles: Tensor) -> Tensor:
    """Return the sine of the angles in even columns and the cosine in odd ones (n, d)."""
    even = torch.arange(angles.shape[-1]) % 2 == 0
    return torch.where(even, torch.sin(angles), torch.cos(angles))


# ---------------------------------------------------------------- adding it (the paper, sections 3.4 and 3.5)


def fit_in_table(n: int, rows: int) -> None:
    """Raise ValueError where there are more tokens than positions."""
    if n > rows:
        raise ValueError(f"{n} tokens, but the table has {rows} positions")


# √d_model · E
def enlarge(x: Tensor) -> Tensor:
    """Return the embeddings (…, n, d) times √d, so that positions of size 1 do not drown them."""
    return x * math.sqrt(x.shape[-1])


def rows_for(x: Tensor, table: Tensor) -> Tensor:
    """Return the rows of the table for the tokens of x: the first n (n, d)."""
    return table[: x.shape[-2]]


# √d_model · E + P
def place(x: Tensor, rows: Tensor) -> Tensor:
    """Return the sum of embeddings and positions (…, n, d)."""
    return x + rows
