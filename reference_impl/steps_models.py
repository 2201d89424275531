"""The steps of whole layers and of the whole model: which part comes when, what it is fed with, and what it may see.

Source: Vaswani et al., "Attention Is All You Need", 2017, sections 3.1 to 3.4 and figure 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

Weights = Mapping[str, Tensor]
Layers = tuple[Tensor, Tensor, Tensor, Tensor]
"""The weights W_Q, W_K, W_V and W_O of one attention."""

SELF, CROSS, FEED_FORWARD = "self-attention", "cross-attention", "feed-forward"

IGNORED = -100
"""The label that `cross_entropy` leaves out of the loss by default."""

# ---------------------------------------------------------------- layers (section 3.1)


def sublayers(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the sub-layers in the order in which they run."""
    return names


def self_mask(causal: Tensor, memory_mask: Tensor | None) -> Tensor | None:
    """Return what the decoder's self-attention may see: each position itself and what came before."""
    return causal


def cross_mask(causal: Tensor, memory_mask: Tensor | None) -> Tensor | None:
    """Return what cross-attention may see: the keys are source tokens, so it is the mask of the source."""
    return memory_mask


def cross_sources(x: Tensor, memory: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return what queries, keys and values of cross-attention are made from: the decoder asks, the memory answers."""
    return x, memory, memory


def cross_layers(of_self: Layers, of_cross: Layers) -> Layers:
    """Return the weights that cross-attention uses: its own."""
    return of_cross


# ---------------------------------------------------------------- training pairs


def shift_inputs(ids: Tensor, bos: int) -> Tensor:
    """Return what the decoder reads (B, n): the start token, then all targets but the last."""
    return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, :-1]], dim=1)


def label_ids(ids: Tensor, inputs: Tensor) -> Tensor:
    """Return what the decoder has to predict at each position (B, n): the targets as they are."""
    return ids


def ignore_pads(labels: Tensor, pad: int) -> Tensor:
    """Return the labels with -100 for padding, which the loss leaves out."""
    return labels.masked_fill(labels == pad, IGNORED)


def read_pads(inputs: Tensor, pad: int) -> Tensor:
    """Return the inputs with their padding as it is: it is a token like any other to the embedding."""
    return inputs


def pair(inputs: Tensor, labels: Tensor) -> Any:
    """Return inputs and labels in the order that the exercise states."""
    return inputs, labels


# ---------------------------------------------------------------- the whole model (sections 3.1 and 3.4, figure 1)


def look_up(embedding: Tensor, ids: Tensor) -> Tensor:
    """Return the row of each token (B, n, d) from the embedding (v, d)."""
    return embedding[ids]


def real_tokens(ids: Tensor, pad: int) -> Tensor:
    """Return the mask (B, 1, 1, n) of the keys that are no padding, True = may attend."""
    return (ids != pad)[:, None, None, :]


def encoder_mask(mask: Tensor) -> Tensor | None:
    """Return what the encoder may see: the source tokens that are no padding."""
    return mask


def memory_of(embedded: Tensor, encoded: Tensor) -> Tensor:
    """Return what the decoder looks things up in: the encoder's result."""
    return encoded


def to_logits(y: Tensor, embedding: Tensor) -> Tensor:
    """Return a score for each word of the vocabulary (B, n, v): the dot product with its embedding."""
    return y @ embedding.T
