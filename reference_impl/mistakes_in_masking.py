"""Wrong padding masks, wrong ways to join masks, and rows that allow nothing: lengths, masks or weights in, a leak or NaN out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .mistakes_in_masks import filled, where_given
from .steps_masking import empty_rows


def padding_in_front(j: Tensor, lengths: Tensor) -> Tensor:
    """Take the last keys of each sample for its tokens."""
    return j >= len(j) - lengths[:, None]


def longest_for_all(j: Tensor, lengths: Tensor) -> Tensor:
    """Use the length of the longest sample for every one."""
    return (j < lengths.max()).expand(len(lengths), -1)


def joined_by_or(masks: list[Tensor]) -> Tensor:
    """Allow what any mask allows."""
    joined = masks[0]
    for mask in masks[1:]:
        joined = joined | mask
    return joined


def later_ones_inverted(masks: list[Tensor]) -> Tensor:
    """Take True in every mask but the first for forbidden."""
    joined = masks[0]
    for mask in masks[1:]:
        joined = joined & ~mask
    return joined


def stacked(masks: list[Tensor]) -> Tensor:
    """Lay the masks on top of each other, which only equal shapes allow."""
    return torch.stack(masks).all(dim=0)


def filled_with(fill: float) -> Callable[[Tensor, str], Tensor]:
    """Return an additive mask with `fill` instead of -∞."""
    return lambda mask, dtype: torch.zeros(mask.shape, dtype=getattr(torch, dtype)).masked_fill(~mask, fill)


def lowest_number(mask: Tensor, dtype: str) -> Tensor:
    """Fill with the lowest finite number of the dtype."""
    return filled_with(torch.finfo(getattr(torch, dtype)).min)(mask, dtype)


def plus_infinity(scores: Tensor, mask: Tensor) -> Tensor:
    """Add 0 and -∞: right, but where a whole row is -∞ the way back is NaN."""
    return scores + torch.zeros_like(scores).masked_fill(~mask, -math.inf)


def written_into(scores: Tensor, mask: Tensor) -> Tensor:
    """Write -∞ into the scores that were handed in."""
    return scores.masked_fill_(~mask, -math.inf)


def averaged(weights: Tensor, scores: Tensor) -> Tensor:
    """Give an empty row equal shares, as softmax does where every score is the same large negative number."""
    return torch.where((scores == -math.inf).all(dim=-1, keepdim=True), 1 / weights.shape[-1], weights)


def emptied_in_place(weights: Tensor, scores: Tensor) -> Tensor:
    """Write zeros into what softmax gave, which the way back still needs."""
    return weights.masked_fill_((scores == -math.inf).all(dim=-1, keepdim=True), 0.0)


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    # padding
    "first_pad_allowed": {"real": lambda j, lengths: j <= lengths[:, None]},
    "last_token_masked": {"real": lambda j, lengths: j < lengths[:, None] - 1},
    "padding_in_front": {"real": padding_in_front},
    "longest_for_all": {"real": longest_for_all},
    "padding_on_query_rows": {"padding_axes": lambda allowed: allowed[:, None, :, None]},
    "padding_axes_missing": {"padding_axes": lambda allowed: allowed},
    "head_axis_missing": {"padding_axes": lambda allowed: allowed[:, None, :]},
    "complement_of_integers": {"form": lambda allowed: ~(~allowed).int()},
    # several masks
    "joined_by_or": {"join": joined_by_or},
    "first_mask_alone": {"join": lambda masks: masks[0]},
    "last_mask_alone": {"join": lambda masks: masks[-1]},
    "later_masks_inverted": {"join": later_ones_inverted},
    "masks_stacked": {"join": stacked},
    # masks that are added
    "truth_as_numbers": {"additive": lambda mask, dtype: mask.to(getattr(torch, dtype))},
    "lowest_number_added": {"additive": lowest_number},
    "dtype_ignored": {"additive": lambda mask, dtype: torch.zeros(mask.shape).masked_fill(~mask, -math.inf)},
    "weak_fill_10000": {"mask": filled(-1e4), "additive": filled_with(-1e4)},
    # rows that allow nothing
    "empty_row_is_nan": {"empty_rows": lambda weights, scores: weights},
    "empty_row_averaged": {"empty_rows": averaged},
    "nan_cleaned_too_late": {
        "mask": where_given(plus_infinity),
        "empty_rows": lambda weights, scores: weights.nan_to_num(0.0),
    },
    "scores_changed_in_place": {"scores_given": written_into},
    "weights_changed_in_place": {"empty_rows": emptied_in_place},
    "weights_in_float64": {"empty_rows": lambda weights, scores: empty_rows(weights, scores).double()},
    "weights_detached": {"empty_rows": lambda weights, scores: empty_rows(weights, scores).detach()},
}
