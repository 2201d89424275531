"""The steps of windows, caches and softmax in blocks: attention at less cost, with the same answers or fewer keys.

Sources: Beltagy et al., "Longformer", 2020 (windows); Milakov and Gimelshein, "Online normalizer calculation for softmax",
2018, and Dao et al., "FlashAttention", 2022 (blocks); Shazeer, "Fast Transformer Decoding", 2019 (caches).
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

# ---------------------------------------------------------------- windows


# |i - j| ≤ w
def within(i: Tensor, j: Tensor, w: int) -> Tensor:
    """Return True where key j is at most w positions away from query i (n, n)."""
    return (i - j).abs() <= w


# j ≤ i
def not_ahead(i: Tensor, j: Tensor, causal: bool) -> Tensor:
    """Return True where key j may be seen as far as the future is concerned: everywhere, or, if causal, up to query i (n, n)."""
    return j <= i if causal else (j <= i) | (j > i)


# ---------------------------------------------------------------- caches


def append(cache: Tensor | None, new: Tensor) -> Tensor:
    """Return what is cached (…, p, d) followed by what is new (…, m, d) along the tokens; None is an empty cache."""
    return new if cache is None else torch.cat([cache, new], dim=-2)


def seen(grown: Tensor, new: Tensor) -> Tensor:
    """Return what the queries attend to: all that has come so far (…, p + m, d)."""
    return grown


def kept(cache: Tensor | None, grown: Tensor, new: Tensor) -> Tensor:
    """Return what is cached for the next call (…, p + m, d)."""
    return grown


def step_results(output: Tensor, key_cache: Tensor, value_cache: Tensor) -> Any:
    """Return what one step hands back, in the order that the exercise states."""
    return output, key_cache, value_cache


# ---------------------------------------------------------------- softmax in blocks


def blocks(n: int, size: int) -> list[slice]:
    """Return the blocks of n keys in order; the last one may be shorter."""
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


def largest_at_first(rows: Tensor) -> Tensor:
    """Return the largest score of each query before any block: -∞, the largest of none (…, n_q, 1)."""
    return torch.full_like(rows, -math.inf)


# m′ = max(m, max S)
def largest_so_far(largest: Tensor, scores: Tensor) -> Tensor:
    """Return the largest score of each query up to this block (…, n_q, 1)."""
    return torch.maximum(largest, scores.amax(dim=-1, keepdim=True))


# exp(m - m′)
def shrink(before: Tensor, now: Tensor) -> Tensor:
    """Return the factor that takes sums made with the old largest score to the new one (…, n_q, 1)."""
    return torch.exp(before - now)


# exp(S - m′)
def block_exp(scores: Tensor, largest: Tensor) -> Tensor:
    """Return the exponentials of a block's scores, none of them above 1 (…, n_q, block)."""
    return torch.exp(scores - largest)


# l′ = l · exp(m - m′) + Σ exp(S - m′)
def running_sum(total: Tensor, factor: Tensor, exponentials: Tensor) -> Tensor:
    """Return the sum of the exponentials up to this block (…, n_q, 1)."""
    return total * factor + exponentials.sum(dim=-1, keepdim=True)


# o′ = o · exp(m - m′) + exp(S - m′) V
def running_mix(output: Tensor, factor: Tensor, exponentials: Tensor, value: Tensor) -> Tensor:
    """Return the values up to this block, mixed by exponentials that nothing has divided yet (…, n_q, d_v)."""
    return output * factor + exponentials @ value


def between_blocks(output: Tensor, total: Tensor) -> Tensor:
    """Return what is carried to the next block: the mix as it is, for the sum is not complete."""
    return output


# O = o / l
def finish(output: Tensor, total: Tensor) -> Tensor:
    """Return the mix of all blocks divided by the sum of all of them (…, n_q, d_v)."""
    return output / total
