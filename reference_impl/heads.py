"""Projections and heads: in go tokens and weights, or query, key and value by head, out come the right answers.

Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from .steps import CORRECT, Sizes, Steps


# X W_Qᵀ + b_Q, X W_Kᵀ + b_K, X W_Vᵀ + b_V
def qkv_projection(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, b_q: Tensor, b_k: Tensor, b_v: Tensor, *, steps: Steps = CORRECT
) -> Any:
    """Return (query, key, value), three projections of the tokens `x` (…, n, d_in).

    Weights are (out, in) and biases (out,), as in `nn.Linear`; query and key (…, n, d_k), value (…, n, d_v).
    """
    layers = steps.assign((w_q, b_q), (w_k, b_k), (w_v, b_v))
    return steps.projections(*(steps.project(x, layer) for layer in layers))


def split_heads(x: Tensor, h: int, *, steps: Steps = CORRECT) -> Any:
    """Return `x` (B, n, d_model) with its features dealt out to `h` heads: (B, h, n, d_model / h).

    Raise ValueError where they cannot be dealt out evenly.
    """
    steps.fit_heads(x.shape[-1], h)
    return steps.split(x, h, Sizes())


def merge_heads(x: Tensor, *, steps: Steps = CORRECT) -> Any:
    """Return the heads of `x` (B, h, n, d) side by side: (B, n, h d)."""
    return steps.merge(x, Sizes())


# concat(head₁, …, head_h) W_Oᵀ + b_O, where headᵢ = attention(X W_Qᵢ, X W_Kᵢ, X W_Vᵢ)
def multi_head_attention(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor, b_q: Tensor, b_k: Tensor, b_v: Tensor, b_o: Tensor,
    h: int, mask: Tensor | None = None, *, steps: Steps = CORRECT,
) -> Any:  # fmt: skip
    """Return the output (B, n, d_model) of self-attention of the tokens `x` (B, n, d_model) with `h` heads.

    Weights are (d_model, d_model), stored as (out, in), and biases (d_model,); `mask` bool, True = may attend, broadcastable
    to (B, h, n, n), with an allowed key in every row. Raise ValueError where the features do not fit the heads.
    """
    steps.fit_heads(x.shape[-1], h)
    n, d_model = x.shape[-2:]
    sizes = Sizes(d_k=d_model // h, d_v=d_model // h, n_q=n, n_k=n, axis_one=h, d_model=d_model)
    layers = steps.assign((w_q, b_q), (w_k, b_k), (w_v, b_v))
    query, key, value = steps.roles(*(steps.split(steps.project(x, layer), h, sizes) for layer in layers))
    scores = steps.scale(steps.score(query, key), sizes)  # (B, h, n, n)
    laid_out = steps.spread(mask, scores)
    weights = steps.after(steps.normalise(steps.mask(scores, laid_out)), laid_out, sizes)
    heads = steps.mix(weights, value, query, key)  # (B, h, n, d)
    return steps.project_out(steps.merge(heads, sizes), (w_o, b_o))


# headᵢ = softmax(Qᵢ K_gᵀ / √d_k) V_g, g = i ÷ (h_q / h_kv)
def grouped_query_attention(q: Tensor, k: Tensor, v: Tensor, *, steps: Steps = CORRECT) -> Any:
    """Return the output (B, h_q, n_q, d_v) of attention in which groups of query heads share a head of keys and values.

    `q` (B, h_q, n_q, d_k), `k` (B, h_kv, n_k, d_k), `v` (B, h_kv, n_k, d_v); neighbouring query heads form a group.
    Raise ValueError unless h_q is a multiple of h_kv. Source: Ainslie et al., "GQA", 2023, section 2.2.
    """
    h_q, h_kv = q.shape[1], k.shape[1]
    steps.fit_groups(h_q, h_kv)
    sizes = Sizes(
        d_k=q.shape[-1], d_v=v.shape[-1], n_q=q.shape[-2], n_k=k.shape[-2], axis_one=h_q, d_model=h_q * q.shape[-1]
    )
    shared = (steps.share_heads(x, h_q // h_kv) for x in (k, v))
    query, key, value = steps.roles(q, *shared)
    scores = steps.unmasked(steps.scale(steps.score(query, key), sizes))  # (B, h_q, n_q, n_k)
    weights = steps.after(steps.normalise(scores), None, sizes)
    return steps.only_output(steps.mix(weights, value, query, key), weights)  # (B, h_q, n_q, d_v)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "qkv_projection": qkv_projection,
    "split_heads": split_heads,
    "merge_heads": merge_heads,
    "multi_head_attention": multi_head_attention,
    "grouped_query_attention": grouped_query_attention,
}
