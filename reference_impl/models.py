"""Layers of a Transformer and a whole one: in go tokens or their numbers, and weights by name; out come tokens or logits.

Source: Vaswani et al., "Attention Is All You Need", 2017, section 3 and figure 1. The norm stands after the sum, as there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .blocks import around, block_norm, feed_forward
from .masks import pattern
from .positions import add_positions
from .steps import CORRECT, Sizes, Steps
from .steps_models import CROSS, FEED_FORWARD, SELF, Layers, Weights

SelfWeights = ("w_q", "w_k", "w_v", "w_o")
CrossWeights = ("cross_q", "cross_k", "cross_v", "cross_o")


# concat(head₁, …, head_h) W_Oᵀ, where headᵢ = attention(Q W_Qᵢᵀ, K W_Kᵢᵀ, V W_Vᵢᵀ)
def attend(sources: tuple[Tensor, Tensor, Tensor], layers: Layers, h: int, mask: Tensor | None, steps: Steps) -> Tensor:
    """Return multi-head attention (B, n_q, d) without biases; `sources` is what query, key and value are made from."""
    none = torch.zeros_like(layers[0][0])
    w_q, w_k, w_v, w_o = ((weight, none) for weight in layers)
    n_q, d_model = sources[0].shape[-2:]
    d = d_model // h
    sizes = Sizes(d_k=d, d_v=d, n_q=n_q, n_k=sources[1].shape[-2], axis_one=h, d_model=d_model)
    made = zip(sources, steps.assign(w_q, w_k, w_v), strict=True)
    query, key, value = steps.roles(*(steps.split(steps.project(x, layer), h, sizes) for x, layer in made))
    scores = steps.scale(steps.score(query, key), sizes)  # (B, h, n_q, n_k)
    laid_out = steps.spread(mask, scores)
    weights = steps.after(steps.normalise(steps.mask(scores, laid_out)), laid_out, sizes)
    heads = steps.mix(weights, value, query, key)  # (B, h, n_q, d)
    return steps.project_out(steps.merge(heads, sizes), w_o)


def in_order(x: Tensor, weights: Weights, parts: dict[str, Callable[[Tensor], Tensor]], steps: Steps) -> Tensor:
    """Return x sent through the sub-layers, each with its residual connection and its own norm after the sum."""
    pairs = tuple((weights[f"gamma_{i}"], weights[f"beta_{i}"]) for i in range(1, len(parts) + 1))
    norms = dict(zip(parts, steps.norms(pairs), strict=True))
    for name in steps.sublayers(tuple(parts)):
        x = around(x, parts[name], block_norm(*norms[name], steps), "post", name, steps)
    return x


def encoder_layer(x: Tensor, weights: Weights, h: int, mask: Tensor | None = None, *, steps: Steps = CORRECT) -> Tensor:
    """Return self-attention and then feed-forward of `x` (B, n, d), in one layer of the encoder.

    `weights` holds w_q, w_k, w_v, w_o (d, d), w_1 (f, d), b_1 (f,), w_2 (d, f), b_2 (d,), and gamma_i, beta_i (d,) for i = 1, 2.
    `mask` bool, True = may attend, broadcastable to (B, h, n, n).
    """
    own = tuple(weights[name] for name in SelfWeights)
    return in_order(
        x,
        weights,
        {SELF: lambda z: attend((z, z, z), own, h, mask, steps), FEED_FORWARD: _feed_forward(weights, steps)},
        steps,
    )


def _feed_forward(weights: Weights, steps: Steps) -> Callable[[Tensor], Tensor]:
    return lambda z: feed_forward(z, *(weights[name] for name in ("w_1", "b_1", "w_2", "b_2")), steps=steps)


def decoder_layer(
    x: Tensor, memory: Tensor, weights: Weights, h: int, memory_mask: Tensor | None = None, *, steps: Steps = CORRECT
) -> Tensor:
    """Return causal self-attention, cross-attention and feed-forward of `x` (B, n, d), in one layer of the decoder.

    `memory` (B, m, d); `weights` as in the encoder, and cross_q, cross_k, cross_v, cross_o (d, d), gamma_3, beta_3 (d,).
    `memory_mask` bool, True = may attend, broadcastable to (B, h, n, m).
    """
    own, cross = (tuple(weights[name] for name in names) for names in (SelfWeights, CrossWeights))
    causal = pattern(x.shape[1], x.shape[1], x.device, steps)
    looking_back, looking_across = steps.self_mask(causal, memory_mask), steps.cross_mask(causal, memory_mask)
    layers = steps.cross_layers(own, cross)
    return in_order(
        x,
        weights,
        {
            SELF: lambda z: attend((z, z, z), own, h, looking_back, steps),
            CROSS: lambda z: attend(steps.cross_sources(z, memory), layers, h, looking_across, steps),
            FEED_FORWARD: _feed_forward(weights, steps),
        },
        steps,
    )


# inputs = (bos, y₀, …, y₍ₙ₋₂₎), labels = (y₀, …, y₍ₙ₋₁₎)
def shift_right(ids: Tensor, bos: int, pad: int, *, steps: Steps = CORRECT) -> Any:
    """Return (inputs, labels) for target numbers `ids` (B, n): what the decoder reads and what it has to say to it.

    Labels are -100 where `ids` is `pad`.
    """
    inputs = steps.shift_inputs(ids, bos)
    labels = steps.ignore_pads(steps.label_ids(ids, inputs), pad)
    return steps.pair(steps.read_pads(inputs, pad), labels)


def transformer_logits(
    source: Tensor, target: Tensor, embedding: Tensor, pe: Tensor, encoder: Weights, decoder: Weights, h: int, bos: int = 1, pad: int = 0,
    *, steps: Steps = CORRECT,
) -> Tensor:  # fmt: skip
    """Return logits (B, n, v) for each next token of `target` (B, n), given `source` (B, m) and the targets before it.

    One encoder layer, one decoder layer; `embedding` (v, d) serves source, target and the last layer (section 3.4); `pe`
    (rows, d) holds the positions.
    """
    mask = steps.real_tokens(source, pad)
    embedded = add_positions(steps.look_up(embedding, source), pe, steps=steps)
    encoded = encoder_layer(embedded, encoder, h, steps.encoder_mask(mask), steps=steps)
    memory = steps.memory_of(embedded, encoded)
    inputs = add_positions(steps.look_up(embedding, steps.shift_inputs(target, bos)), pe, steps=steps)
    return steps.to_logits(decoder_layer(inputs, memory, decoder, h, mask, steps=steps), embedding)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "encoder_layer": encoder_layer,
    "decoder_layer": decoder_layer,
    "shift_right": shift_right,
    "transformer_logits": transformer_logits,
}
