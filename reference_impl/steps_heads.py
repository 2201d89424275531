"""Steps of projections and heads: in go tokens and weights, out comes what one line of multi-head attention says.

`Steps` lists them. Axis names beside those of `steps`: B samples, n tokens, d_model features of a token, h heads, d = d_model / h
features of a head. "The paper" is Vaswani et al., "Attention Is All You Need", 2017; multi-head attention is its section 3.2.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch import Tensor

if TYPE_CHECKING:
    from .steps import Sizes

Layer = tuple[Tensor, Tensor]
"""Weight (out, in) and bias (out,), as in `nn.Linear`."""

# ---------------------------------------------------------------- projections


def assign(query: Layer, key: Layer, value: Layer) -> tuple[Layer, Layer, Layer]:
    """Return the layers that make query, key and value, in this order."""
    return query, key, value


# X Wᵀ + b
def project(x: Tensor, layer: Layer) -> Tensor:
    """Return each token sent through a layer: the weight is stored as (out, in)."""
    weight, bias = layer
    return x @ weight.transpose(0, 1) + bias  # (…, n, out)


def projections(query: Tensor, key: Tensor, value: Tensor) -> Any:
    """Return the three projections in the order that the exercise states."""
    return query, key, value


# concat(head₁, …, head_h) W_Oᵀ + b_O
def project_out(x: Tensor, layer: Layer) -> Tensor:
    """Return the merged heads mixed by the last layer (section 3.2.2)."""
    weight, bias = layer
    return x @ weight.transpose(0, 1) + bias  # (B, n, d_model)


# ---------------------------------------------------------------- heads


def fit_heads(d_model: int, h: int) -> None:
    """Raise ValueError where the features cannot be dealt out evenly."""
    if d_model % h:
        raise ValueError(f"{d_model} features cannot be split among {h} heads")


def split(x: Tensor, h: int, sizes: Sizes) -> Tensor:
    """Return the features of each token dealt out to heads, d neighbours to each: (B, n, d_model) → (B, h, n, d)."""
    return x.reshape(*x.shape[:2], h, x.shape[2] // h).transpose(1, 2)


def merge(x: Tensor, sizes: Sizes) -> Tensor:
    """Return the heads of each token side by side again: (B, h, n, d) → (B, n, h d)."""
    return x.transpose(1, 2).flatten(2)


def spread(mask: Tensor | None, scores: Tensor) -> Tensor | None:
    """Return the mask that each sample and head of the scores (B, h, n_q, n_k) uses: broadcasting lays it out."""
    return mask


# ---------------------------------------------------------------- heads that share keys and values
# Source: Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints", 2023


def fit_groups(h_q: int, h_kv: int) -> None:
    """Raise ValueError where the query heads cannot be shared out evenly."""
    if h_q % h_kv:
        raise ValueError(f"{h_q} query heads cannot share {h_kv} heads of keys and values evenly")


def share_heads(x: Tensor, groups: int) -> Tensor:
    """Return each head of keys or values for `groups` query heads in a row: (B, h_kv, n_k, d) → (B, h_kv groups, n_k, d)."""
    return x.repeat_interleave(groups, dim=1)
