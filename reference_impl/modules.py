"""What a submitted module has to compute, as functions: in go inputs, what it is built from and its parameters, out comes the output.

In eval mode dropout does nothing, so its rate has no effect here. Source: Vaswani et al., "Attention Is All You Need", 2017,
section 3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor

from .masks import pattern
from .steps import CORRECT, Sizes, Steps

State = Mapping[str, Tensor]
"""Parameters by their names in the state dict."""


def causal_self_attention(
    x: Tensor, d_model: int, n_heads: int, max_len: int, dropout: float = 0.0, *, state: State, steps: Steps = CORRECT
) -> Any:
    """Return the output (B, n, d_model) of causal self-attention of the tokens `x` (B, n, d_model) with `n_heads` heads.

    `state`: `qkv.weight` (3 d_model, d_model), queries first, then keys, then values; `out.weight` (d_model, d_model).
    Raise ValueError where the features do not fit the heads, or where n > `max_len`.
    """
    steps.fit_heads(d_model, n_heads)
    n = x.shape[-2]
    steps.fits_stored_mask(n, max_len)
    tokens = steps.unpack(_layer(x, state, "qkv", steps))
    mask = steps.cut(pattern(max_len, max_len, x.device, steps), n)
    return _multi_head(tokens, mask, n_heads, state, "out", steps)


def multi_head_attention_module(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    *,
    d_model: int,
    n_heads: int,
    dropout: float = 0.0,
    state: State,
    steps: Steps = CORRECT,
) -> Any:
    """Return the output (B, n_q, d_model) of attention of `query` (B, n_q, d_model) to `key` and `value` (B, n_k, d_model).

    `state`: weights (d_model, d_model) and biases (d_model,) of `w_q`, `w_k`, `w_v` and `w_o`. `mask` bool, True = may attend,
    broadcastable to (B, n_heads, n_q, n_k). Raise ValueError where the features do not fit the heads.
    """
    steps.fit_heads(d_model, n_heads)
    layers = steps.assign(*((state[f"{name}.weight"], state[f"{name}.bias"]) for name in ("w_q", "w_k", "w_v")))
    taken = steps.sequences(query, key, value)
    tokens = tuple(steps.project(x, layer) for x, layer in zip(taken, layers, strict=True))
    return _multi_head(tokens, mask, n_heads, state, "w_o", steps)


def _layer(x: Tensor, state: State, name: str, steps: Steps, *, last: bool = False) -> Tensor:
    """Return tokens sent through a layer of the state by name; without a bias there, its bias is 0."""
    weight = state[f"{name}.weight"]
    layer = (weight, state.get(f"{name}.bias", weight.new_zeros(weight.shape[0])))
    return steps.project_out(x, layer) if last else steps.project(x, layer)


def _multi_head(tokens: Any, mask: Tensor | None, h: int, state: State, last: str, steps: Steps) -> Any:
    """Return what attention by heads makes of projected queries, keys and values, sent through the last layer."""
    query, key, value = tokens
    d_model = query.shape[-1]
    sizes = Sizes(
        d_k=d_model // h, d_v=d_model // h, n_q=query.shape[-2], n_k=key.shape[-2], axis_one=h, d_model=d_model
    )
    query, key, value = steps.roles(*(steps.split(x, h, sizes) for x in (query, key, value)))
    scores = steps.scale(steps.score(query, key), sizes)  # (B, h, n_q, n_k)
    laid_out = steps.spread(mask, scores)
    weights = steps.after(steps.normalise(steps.mask(scores, laid_out)), laid_out, sizes)
    heads = steps.mix(weights, value, query, key)  # (B, h, n_q, d)
    return _layer(steps.merge(heads, sizes), state, last, steps, last=True)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "causal_self_attention": causal_self_attention,
    "multi_head_attention_module": multi_head_attention_module,
}
