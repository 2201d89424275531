"""Scaled dot-product attention, whole and in part: in go scores or query, key and value, out come the right answers.

Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from .masks import pattern
from .steps import CORRECT, Sizes, Steps


# S / √d_k
def scale_scores(scores: Tensor, d_k: int, *, steps: Steps = CORRECT) -> Tensor:
    """Return `scores` (…, n_q, n_k) divided by √d_k, in the same shape and dtype."""
    n_q, n_k = scores.shape[-2:]
    return steps.scale(scores, Sizes(d_k=d_k, n_q=n_q, n_k=n_k, axis_one=scores.shape[1]))


# softmax(Q Kᵀ / √d_k + M) V
def attention(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, *, steps: Steps = CORRECT) -> Any:
    """Return (output, weights) of scaled dot-product attention (equation 1).

    `query` (…, n_q, d_k), `key` (…, n_k, d_k), `value` (…, n_k, d_v); `mask` bool, True = may attend, broadcastable to
    (…, n_q, n_k). `output` (…, n_q, d_v), `weights` (…, n_q, n_k). A row of the mask without any True gives NaN.
    """
    sizes = Sizes(
        d_k=query.shape[-1],
        d_v=value.shape[-1],
        n_q=query.shape[-2],
        n_k=key.shape[-2],
        axis_one=query.shape[1],
    )
    query, key, value = steps.roles(query, key, value)
    scores = steps.score(query, key)  # (…, n_q, n_k)
    scores = steps.scale(scores, sizes)
    scores = steps.mask(scores, mask)
    weights = steps.normalise(scores)
    weights = steps.after(weights, mask, sizes)
    output = steps.mix(weights, value, query, key)  # (…, n_q, d_v)
    return steps.results(output, weights)


# softmax(Q Kᵀ / √d_k, where j ≤ i + n_k - n_q) V
def causal_attention(q: Tensor, k: Tensor, v: Tensor, *, steps: Steps = CORRECT) -> Any:
    """Return the output (…, n_q, d_v) of attention in which no position sees a later one (section 3.2.3)."""
    return attention(q, k, v, pattern(q.shape[-2], k.shape[-2], q.device, steps), steps=steps)[0]
