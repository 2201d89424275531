"""Steps of masks and of softmax under a mask: in go lengths, masks or weights, out comes what one line of the rule says.

`Steps` lists them; what they share with attention (mask, normalise, form, …) lies in `steps`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

# ---------------------------------------------------------------- padding


# P[b, j] = j < length of sample b
def real(j: Tensor, lengths: Tensor) -> Tensor:
    """Return True where key j of a sample is a token, False where it is padding."""
    return j < lengths[:, None]  # (B, n_k) from (n_k,) and (B,)


def padding_axes(allowed: Tensor) -> Tensor:
    """Return the mask with axes of size 1 for heads and queries, so that it broadcasts to (B, h, n_q, n_k)."""
    return allowed[:, None, None, :]  # (B, 1, 1, n_k)


# ---------------------------------------------------------------- several masks


def masks_given(masks: Sequence[Tensor | None]) -> list[Tensor]:
    """Return the masks that are there: None forbids nothing."""
    return [mask for mask in masks if mask is not None]


# M = M₁ ∧ M₂ ∧ …
def join(masks: list[Tensor]) -> Tensor:
    """Return True where every mask allows: one that forbids is enough."""
    joined = masks[0]
    for mask in masks[1:]:
        joined = joined & mask
    return joined


# ---------------------------------------------------------------- masks that are added (the paper, section 3.2.3)


# A = 0 where allowed, -∞ elsewhere
def additive(mask: Tensor, dtype: str) -> Tensor:
    """Return what is added to scores: 0 where the bool mask is True, -∞ where it is False, in the dtype of this name."""
    return torch.zeros(mask.shape, dtype=getattr(torch, dtype), device=mask.device).masked_fill(~mask, -math.inf)


# ---------------------------------------------------------------- softmax among allowed keys


def scores_given(scores: Tensor, mask: Tensor) -> Tensor:
    """Return scores that are an argument as they are: whoever handed them in may need them again."""
    return scores


def empty_rows(weights: Tensor, scores: Tensor) -> Tensor:
    """Return the weights with zeros where all masked scores of a row are -∞: who may see nothing spends nothing.

    A rule of this course: softmax of such a row is 0/0.
    """
    return weights.masked_fill((scores == -math.inf).all(dim=-1, keepdim=True), 0.0)  # (…, n_q, n_k)
