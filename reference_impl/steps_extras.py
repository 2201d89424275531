"""The steps of rotary positions, of linear biases and of linear attention: vectors or numbers in, rotated vectors, biases, prefix sums out.

Sources: Su et al., "RoFormer", 2021 (rotary positions); Press et al., "Train Short, Test Long", 2021 (linear biases);
Katharopoulos et al., "Transformers are RNNs", 2020 (linear attention).
"""

from __future__ import annotations

import torch
from torch import Tensor

# ---------------------------------------------------------------- rotary positions


def pairs_fit(d: int) -> None:
    """Raise ValueError where the features cannot be taken in pairs."""
    if d % 2:
        raise ValueError(f"{d} features cannot be rotated in pairs: an even number is needed")


def rotary_positions(given: Tensor | None, counted: Tensor) -> Tensor:
    """Return the position of each token (n,): those given, or counted from 0."""
    return counted if given is None else given


# 2i / d
def rotary_exponents(d: int) -> Tensor:
    """Return, for each pair of features, the power of the base that its wavelength grows with (d / 2,)."""
    return torch.arange(0, d, 2, dtype=torch.float64) / d


def along_tokens(angles: Tensor, x: Tensor) -> Tensor:
    """Return the angles in the shape in which they meet x: one row a token, whatever axes stand in front (n, d / 2)."""
    return angles


def take_pairs(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the first and the second of each pair of neighbouring features, both (…, n, d / 2)."""
    return x[..., 0::2], x[..., 1::2]


# (a cos θ - b sin θ, a sin θ + b cos θ)
def rotate(a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    """Return each pair turned by its angle."""
    return a * cos - b * sin, a * sin + b * cos


def put_pairs(a: Tensor, b: Tensor) -> Tensor:
    """Return the pairs as features again, the two of a pair side by side (…, n, d)."""
    return torch.stack([a, b], dim=-1).flatten(-2)


# ---------------------------------------------------------------- linear biases


# 2^(-8 (h + 1) / H)
def slopes(heads: int) -> Tensor:
    """Return a slope for each head, falling from one to the next by the same factor down to 1 / 256 (h,)."""
    return 2.0 ** (-8.0 * torch.arange(1, heads + 1, dtype=torch.float64) / heads)


def bias_offset(n_q: int, n_k: int) -> int:
    """Return the position of the first query among the keys, so that the last query lines up with the last key."""
    return n_k - n_q


# |i + offset - j|
def apart(i: Tensor, j: Tensor, offset: int) -> Tensor:
    """Return how far key j is from query i (n_q, n_k)."""
    return (i + offset - j).abs()


def penalty(slopes: Tensor, distance: Tensor) -> Tensor:
    """Return what is added to the scores: nothing at distance 0, less the further away (h, n_q, n_k)."""
    return -slopes[:, None, None] * distance


# ---------------------------------------------------------------- linear attention


# φ(x) = elu(x) + 1
def feature(x: Tensor) -> Tensor:
    """Return positive features: x + 1 where x is above 0, exp(x) elsewhere."""
    return torch.where(x > 0, x + 1, torch.exp(x.clamp(max=0)))


def feature_of_key(feature: Tensor, key: Tensor) -> Tensor:
    """Return the features of the keys."""
    return feature


# Σ φ(k_s) v_sᵀ over s ≤ t
def prefix_table(key: Tensor, value: Tensor) -> Tensor:
    """Return, for each position, the sum of φ(k) vᵀ up to and including it (…, n, d, d_v)."""
    return (key.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(dim=-3)


# Σ φ(k_s) over s ≤ t
def prefix_keys(key: Tensor) -> Tensor:
    """Return, for each position, the sum of φ(k) up to and including it (…, n, d)."""
    return key.cumsum(dim=-2)


def linear_share(mixed: Tensor, total: Tensor) -> Tensor:
    """Return the mixed values (…, n, d_v) divided by the sum of what they were mixed by (…, n, 1)."""
    return mixed / total


def linear_output(output: Tensor, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Return the output of linear attention."""
    return output
