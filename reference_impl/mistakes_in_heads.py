"""Wrong projections, and wrong ways to split, merge and share heads: tokens and weights in, mixed-up features out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .mistakes_in_scores import divided_by
from .steps import Sizes
from .steps_heads import Layer, merge, split


def weight_not_transposed(x: Tensor, layer: Layer) -> Tensor:
    """Multiply by a weight as it lies, though it is stored as (out, in)."""
    weight, bias = layer
    return x @ weight + bias


def bias_dropped(x: Tensor, layer: Layer) -> Tensor:
    """Leave the bias out."""
    return x @ layer[0].transpose(0, 1)


def in_token_order(x: Tensor, h: int, sizes: Sizes) -> Tensor:
    """Re-read the memory as (B, h, n, d): each head gets some tokens whole, not some features of all tokens."""
    return x.reshape(x.shape[0], h, x.shape[1], x.shape[2] // h)


def in_token_order_here(x: Tensor, h: int, sizes: Sizes) -> Tensor:
    """Re-read the memory, where the heads are merged the same way later: the two do not cancel."""
    sizes.of("d_k")
    return in_token_order(x, h, sizes)


def merged_in_memory_order(x: Tensor, sizes: Sizes) -> Tensor:
    """Re-read the memory as (B, n, h d): a token gets what one head found for its neighbours."""
    return x.reshape(x.shape[0], x.shape[2], -1)


def merged_in_memory_order_here(x: Tensor, sizes: Sizes) -> Tensor:
    """Re-read the memory, where the heads were split the same way before."""
    sizes.of("d_k")
    return merged_in_memory_order(x, sizes)


def features_dealt_in_turn(x: Tensor, h: int, sizes: Sizes) -> Tensor:
    """Split into (d, h): a head gets every h-th feature, not d neighbours."""
    return x.reshape(*x.shape[:2], -1, h).permute(0, 3, 1, 2)


def heads_left_in_place(x: Tensor, h: int, sizes: Sizes) -> Tensor:
    """Split and leave the axes in order: attention then runs among the heads of one token."""
    return x.reshape(*x.shape[:2], h, -1)


def first_features_for_all(x: Tensor, h: int, sizes: Sizes) -> Tensor:
    """Give every head the same first d features."""
    return x[..., : x.shape[2] // h].unsqueeze(1).expand(-1, h, -1, -1)


def samples_as_tokens(x: Tensor, h: int, sizes: Sizes) -> Tensor:
    """Take the first axis for the sequence, as modules without `batch_first` do."""
    sizes.of("d_k")
    return split(x.transpose(0, 1), h, sizes)


def tokens_as_samples(x: Tensor, sizes: Sizes) -> Tensor:
    """Turn samples and tokens back."""
    sizes.of("d_k")
    return merge(x, sizes).transpose(0, 1)


def merged_in_turn(x: Tensor, sizes: Sizes) -> Tensor:
    """Put the first features of all heads first, then the second ones."""
    return x.permute(0, 2, 3, 1).flatten(2)


def viewed_after_transpose(x: Tensor, sizes: Sizes) -> Tensor:
    """Use `view` on axes that changed places, which their memory does not allow."""
    return x.transpose(1, 2).view(x.shape[0], x.shape[2], -1)


def repeated_for_heads(mask: Tensor | None, scores: Tensor) -> Tensor | None:
    """Repeat the whole list of samples h times, where heads come sample by sample: (0, 1, 0, 1), not (0, 0, 1, 1)."""
    if mask is None:
        return None
    samples, h, *table = scores.shape
    return mask.broadcast_to(samples, 1, *table).repeat(h, 1, 1, 1).view(samples, h, *table)


def tiled(x: Tensor, groups: int) -> Tensor:
    """Repeat the whole list of heads: neighbouring query heads get different ones."""
    return x.repeat(1, groups, 1, 1)


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    # projections
    "weight_not_transposed": {"project": weight_not_transposed, "project_out": weight_not_transposed},
    "biases_dropped": {"project": bias_dropped, "project_out": bias_dropped},
    "value_made_by_key_layer": {"assign": lambda query, key, value: (query, key, key)},
    "key_made_by_query_layer": {"assign": lambda query, key, value: (query, query, value)},
    "one_layer_for_all": {"assign": lambda query, key, value: (query, query, query)},
    "query_and_key_exchanged": {"projections": lambda query, key, value: (key, query, value)},
    "last_layer_missing": {"project_out": lambda x, layer: x},
    # heads
    "tokens_split_among_heads": {"split": in_token_order},
    "features_dealt_in_turn": {"split": features_dealt_in_turn},
    "heads_left_in_place": {"split": heads_left_in_place, "merge": lambda x, sizes: x.flatten(2)},
    "first_features_for_all_heads": {"split": first_features_for_all},
    "heads_not_checked": {"fit_heads": lambda d_model, h: None},
    "merged_in_memory_order": {"merge": merged_in_memory_order},
    "merged_in_turn": {"merge": merged_in_turn},
    "viewed_after_transpose": {"merge": viewed_after_transpose},
    "split_and_merged_in_memory_order": {"split": in_token_order_here, "merge": merged_in_memory_order_here},
    "heads_averaged": {"merge": lambda x, sizes: x.mean(dim=1)},
    "heads_summed": {"merge": lambda x, sizes: x.sum(dim=1)},
    "last_head_alone": {"merge": lambda x, sizes: x[:, -1].clone(memory_format=torch.contiguous_format)},
    "heads_in_reverse": {"merge": lambda x, sizes: merge(x.flip(1), sizes)},
    "samples_attend_each_other": {"split": samples_as_tokens, "merge": tokens_as_samples},
    "divided_by_root_of_d_model": {"scale": divided_by(lambda sizes: math.sqrt(sizes.of("d_model")))},
    "mask_of_other_samples": {"spread": repeated_for_heads},
    # heads that share keys and values
    "groups_tiled": {"share_heads": tiled},
    "tokens_repeated": {"share_heads": lambda x, groups: torch.repeat_interleave(x, groups, dim=-2)},
    "first_group_for_all": {"share_heads": lambda x, groups: x[:, :1].expand(-1, x.shape[1] * groups, -1, -1)},
    "groups_not_checked": {"fit_groups": lambda h_q, h_kv: None},
}
