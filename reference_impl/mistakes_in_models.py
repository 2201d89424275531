"""Wrong ways to put layers and a model together: parts out of order, fed with the wrong thing, or seeing too much."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .mistakes_in_blocks import adds, only_the_result
from .steps_blocks import Pairs
from .steps_models import CROSS, FEED_FORWARD, IGNORED, SELF


def first(part: str) -> dict[str, Callable[..., Any]]:
    """Return a step that runs one sub-layer before all others; nothing changes where there is no such part."""
    return {"sublayers": lambda names: tuple(sorted(names, key=lambda name: name != part))}


def without(part: str) -> dict[str, Callable[..., Any]]:
    """Return a step that leaves one sub-layer out."""
    return {"sublayers": lambda names: tuple(name for name in names if name != part)}


def one_pair(pairs: Pairs) -> Pairs:
    """Use γ and β of the first norm everywhere."""
    return pairs[:1] * len(pairs)


def next_in(ids: Tensor, last: int) -> Tensor:
    """Return what comes one position later, with `last` at the end."""
    return torch.cat([ids[:, 1:], torch.full_like(ids[:, :1], last)], dim=1)


def written_over(ids: Tensor, bos: int) -> Tensor:
    """Write the start token over the first target."""
    return torch.cat([torch.full_like(ids[:, :1], bos), ids[:, 1:]], dim=1)


def put_in_front(ids: Tensor, bos: int) -> Tensor:
    """Put the start token in front, and keep all targets: one position too many."""
    return torch.cat([torch.full_like(ids[:, :1], bos), ids], dim=1)


def over_samples(ids: Tensor, bos: int) -> Tensor:
    """Shift along the batch."""
    return torch.cat([torch.full_like(ids[:1], bos), ids[:-1]], dim=0)


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    # layers
    "feed_forward_first": first(FEED_FORWARD),
    "cross_attention_first": first(CROSS),
    "self_attention_left_out": without(SELF),
    "cross_attention_left_out": without(CROSS),
    "feed_forward_left_out": without(FEED_FORWARD),
    "one_norm_for_all": {"norms": one_pair},
    "norms_in_reverse": {"norms": lambda pairs: pairs[::-1]},
    "residual_missing_at_self_attention": {"rejoin": adds(only_the_result, SELF)},
    "residual_missing_at_cross_attention": {"rejoin": adds(only_the_result, CROSS)},
    "residual_missing_at_feed_forward": {"rejoin": adds(only_the_result, FEED_FORWARD)},
    "memory_asks": {"cross_sources": lambda x, memory: (memory, x, x)},
    "memory_ignored": {"cross_sources": lambda x, memory: (x, x, x), "cross_mask": lambda causal, memory_mask: None},
    "memory_only_as_keys": {"cross_sources": lambda x, memory: (x, memory, x)},
    "self_attention_weights_reused": {"cross_layers": lambda of_self, of_cross: of_self},
    "memory_mask_missing": {"cross_mask": lambda causal, memory_mask: None},
    "causal_mask_on_memory": {"cross_mask": lambda causal, memory_mask: causal},
    "memory_mask_on_targets": {"self_mask": lambda causal, memory_mask: memory_mask},
    "masks_exchanged": {
        "self_mask": lambda causal, memory_mask: memory_mask,
        "cross_mask": lambda causal, memory_mask: causal,
    },
    # training pairs
    "targets_not_shifted": {"shift_inputs": lambda ids, bos: ids},
    "targets_shifted_left": {"shift_inputs": next_in},
    "targets_rolled": {"shift_inputs": lambda ids, bos: ids.roll(1, dims=1)},
    "start_put_in_front": {"shift_inputs": put_in_front},
    "start_written_over": {"shift_inputs": written_over},
    "shifted_over_samples": {"shift_inputs": over_samples},
    "labels_are_inputs": {"label_ids": lambda ids, inputs: inputs},
    "labels_shifted_too": {"label_ids": lambda ids, inputs: next_in(ids, IGNORED)},
    "pads_in_the_loss": {"ignore_pads": lambda labels, pad: labels},
    "pads_ignored_in_inputs": {"read_pads": lambda inputs, pad: inputs.masked_fill(inputs == pad, IGNORED)},
    # the whole model
    "padding_not_found": {"real_tokens": lambda ids, pad: torch.ones_like(ids, dtype=torch.bool)[:, None, None, :]},
    "only_padding_seen": {"real_tokens": lambda ids, pad: (ids == pad)[:, None, None, :]},
    "encoder_mask_missing": {"encoder_mask": lambda mask: None},
    "source_not_encoded": {"memory_of": lambda embedded, encoded: embedded},
    "probabilities_returned": {"to_logits": lambda y, embedding: torch.softmax(y @ embedding.T, dim=-1)},
    "log_probabilities_returned": {"to_logits": lambda y, embedding: torch.log_softmax(y @ embedding.T, dim=-1)},
    "embedding_not_transposed": {"to_logits": lambda y, embedding: y @ embedding},
}
