"""Wrong rotations, biases and prefix sums: in go what the right steps get, out come other angles, slopes or sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .steps_extras import feature, penalty, prefix_keys, prefix_table, put_pairs, slopes

# ---------------------------------------------------------------- rotary positions


def halves(x: Tensor) -> tuple[Tensor, Tensor]:
    """Pair feature i with feature i + d / 2."""
    return tuple(x.chunk(2, dim=-1))  # type: ignore[return-value]


def side_by_side(a: Tensor, b: Tensor) -> Tensor:
    """Put all first features before all second ones."""
    return torch.cat([a, b], dim=-1)


def along_heads(angles: Tensor, x: Tensor) -> Tensor:
    """Take the number of the head (or sample) for the position of the token."""
    rows = torch.arange(x.shape[-3]) % angles.shape[0]
    return angles[rows].unsqueeze(-2)


def first_overwritten(a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    """Compute the second feature from the first one after it has been turned."""
    turned = a * cos - b * sin
    return turned, turned * sin + b * cos


# ---------------------------------------------------------------- linear biases


def all_slopes_alike(heads: int) -> Tensor:
    """Give every head the slope of the first one."""
    return slopes(heads)[:1].expand(heads)


def halved_slopes(heads: int) -> Tensor:
    """Halve the slope from head to head, which is right for eight heads alone."""
    return 2.0 ** -torch.arange(1, heads + 1, dtype=torch.float64)


def slopes_from_one(heads: int) -> Tensor:
    """Count heads from 0, so that the first one has slope 1."""
    return 2.0 ** (-8.0 * torch.arange(heads, dtype=torch.float64) / heads)


# ---------------------------------------------------------------- linear attention


def ordinary_attention(output: Tensor, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Compute causal softmax attention instead."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    ahead = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(ahead, -math.inf), dim=-1) @ value


def mean_so_far(output: Tensor, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Average the values up to each position, whatever queries and keys are."""
    count = torch.arange(1, value.shape[-2] + 1, dtype=value.dtype)[:, None]
    return value.cumsum(dim=-2) / count


def whole_table(key: Tensor, value: Tensor) -> Tensor:
    """Sum over all positions, later ones too."""
    return prefix_table(key, value)[..., -1:, :, :].expand(*key.shape, value.shape[-1])


def whole_keys(key: Tensor) -> Tensor:
    """Sum over all positions, later ones too."""
    return prefix_keys(key)[..., -1:, :].expand_as(key)


def table_before(key: Tensor, value: Tensor) -> Tensor:
    """Read the sum before the position itself has been added."""
    return prefix_table(key, value) - key.unsqueeze(-1) * value.unsqueeze(-2)


def divided_by_count(mixed: Tensor, total: Tensor) -> Tensor:
    """Divide by how many positions there are so far."""
    return mixed / torch.arange(1, mixed.shape[-2] + 1, dtype=mixed.dtype)[:, None]


def elu(x: Tensor) -> Tensor:
    """Leave out the 1: features can be negative."""
    return feature(x) - 1


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "odd_width_not_refused": {"pairs_fit": lambda d: None},
    "positions_not_used": {"rotary_positions": lambda given, counted: counted},
    "rotated_along_heads": {"along_tokens": along_heads},
    "rotated_in_halves": {"take_pairs": halves, "put_pairs": side_by_side},
    "rotated_pairs_left_in_halves": {"put_pairs": side_by_side},
    "halves_put_together_as_pairs": {"take_pairs": halves, "put_pairs": put_pairs},
    "rotated_backwards": {"rotate": lambda a, b, cos, sin: (a * cos + b * sin, b * cos - a * sin)},
    "rotation_without_minus": {"rotate": lambda a, b, cos, sin: (a * cos + b * sin, a * sin + b * cos)},
    "rotation_without_sine": {"rotate": lambda a, b, cos, sin: (a * cos, b * cos)},
    "rotation_first_overwritten": {"rotate": first_overwritten},
    "alibi_sign_missing": {"penalty": lambda slopes, distance: -penalty(slopes, distance)},
    "alibi_slope_ignored": {"penalty": lambda slopes, distance: penalty(torch.ones_like(slopes), distance)},
    "alibi_heads_last": {"penalty": lambda slopes, distance: penalty(slopes, distance).permute(1, 2, 0)},
    "alibi_one_slope_for_all": {"slopes": all_slopes_alike},
    "alibi_slopes_halved": {"slopes": halved_slopes},
    "alibi_slopes_from_one": {"slopes": slopes_from_one},
    "alibi_slopes_reversed": {"slopes": lambda heads: slopes(heads).flip(0)},
    "alibi_top_left": {"bias_offset": lambda n_q, n_k: 0},
    "alibi_offset_backwards": {"bias_offset": lambda n_q, n_k: n_q - n_k},
    "alibi_future_rewarded": {"apart": lambda i, j, offset: i + offset - j},
    "alibi_future_free": {"apart": lambda i, j, offset: (i + offset - j).clamp(min=0)},
    "alibi_past_free": {"apart": lambda i, j, offset: (j - i - offset).clamp(min=0)},
    "alibi_squared": {"apart": lambda i, j, offset: (i + offset - j) ** 2},
    "feature_map_missing": {"feature": lambda x: x},
    "feature_map_relu": {"feature": torch.relu},
    "feature_map_exp": {"feature": torch.exp},
    "feature_map_without_one": {"feature": elu},
    "feature_map_on_queries_alone": {"feature_of_key": lambda feature, key: key},
    "linear_not_causal": {"prefix_table": whole_table, "prefix_keys": whole_keys},
    "linear_sum_of_all_keys": {"prefix_keys": whole_keys},
    "linear_table_of_all": {"prefix_table": whole_table},
    "linear_itself_left_out": {"prefix_table": table_before, "prefix_keys": lambda key: prefix_keys(key) - key},
    "linear_not_divided": {"linear_share": lambda mixed, total: mixed},
    "linear_divided_by_count": {"linear_share": divided_by_count},
    "softmax_instead_of_linear": {"linear_output": ordinary_attention},
    "values_averaged_so_far": {"linear_output": mean_so_far},
}
