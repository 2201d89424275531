"""Masks put together, and attention under them: in go lengths, masks, scores or vectors, out come the right answers.

In every mask True = may attend. A query that may attend to nothing gets zeros: a rule of this course.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .steps import CORRECT, Sizes, Steps


# M[b, 0, 0, j] = j < lengths[b]
def padding_mask(lengths: Tensor, n_k: int, *, steps: Steps = CORRECT) -> Any:
    """Return the bool mask (B, 1, 1, n_k) of the keys that are tokens; `lengths` (B,) says how many of each sample are."""
    j = torch.arange(n_k, device=lengths.device)
    return steps.padding_axes(steps.form(steps.real(j, lengths)))


def combine_masks(a: Tensor | None, b: Tensor | None = None, c: Tensor | None = None, *, steps: Steps = CORRECT) -> Any:
    """Return the bool mask that allows what all masks allow, broadcast against each other; None forbids nothing."""
    return steps.form(steps.join(steps.masks_given((a, b, c))))


# A = 0 where M, -∞ elsewhere
def to_additive(mask: Tensor, dtype: str = "float32", *, steps: Steps = CORRECT) -> Any:
    """Return 0 where the bool `mask` allows and -∞ where it does not, in its shape and the dtype of this name."""
    return steps.additive(mask, dtype)


# softmax(S, where allowed)
def masked_softmax(scores: Tensor, mask: Tensor, *, steps: Steps = CORRECT) -> Any:
    """Return weights (…, n_q, n_k): softmax of `scores` over the keys that the bool `mask` allows, zeros in an empty row."""
    n_q, n_k = scores.shape[-2:]
    sizes = Sizes(n_q=n_q, n_k=n_k, axis_one=scores.shape[1])
    masked = steps.mask(steps.scores_given(scores, mask), mask)
    return steps.empty_rows(steps.after(steps.normalise(masked), mask, sizes), masked)


# softmax(Q Kᵀ / √d_k, where allowed) V
def masked_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, *, steps: Steps = CORRECT) -> Any:
    """Return the output (…, n_q, d_v) of attention (equation 1 of the paper), zeros for a query that may see nothing.

    `q` (…, n_q, d_k), `k` (…, n_k, d_k), `v` (…, n_k, d_v); `mask` bool, broadcastable to (…, n_q, n_k).
    """
    sizes = Sizes(d_k=q.shape[-1], d_v=v.shape[-1], n_q=q.shape[-2], n_k=k.shape[-2], axis_one=q.shape[1])
    query, key, value = steps.roles(q, k, v)
    masked = steps.mask(steps.scale(steps.score(query, key), sizes), mask)  # (…, n_q, n_k)
    weights = steps.empty_rows(steps.after(steps.normalise(masked), mask, sizes), masked)
    return steps.only_output(steps.mix(weights, value, query, key), weights)  # (…, n_q, d_v)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "padding_mask": padding_mask,
    "combine_masks": combine_masks,
    "to_additive": to_additive,
    "masked_softmax": masked_softmax,
    "masked_attention": masked_attention,
}
