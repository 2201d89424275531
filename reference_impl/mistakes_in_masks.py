"""Wrong ways to mask, and wrong masks: in go scores and a mask, out comes a leak or an empty row."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .mistakes_in_weights import LARGE
from .steps import Sizes
from .steps_windows import not_ahead


def where_given(step: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor | None], Tensor]:
    """Return a mask step that leaves the scores alone when there is no mask."""
    return lambda scores, mask: scores if mask is None else step(scores, mask)


def filled(fill: float) -> Callable[[Tensor, Tensor | None], Tensor]:
    """Return a mask step that puts `fill` where attending is forbidden."""
    return where_given(lambda scores, mask: scores.masked_fill(~mask, fill))


def ignored(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Take a mask and do nothing with it, or throw the masked copy away."""
    return scores


def masked_weights(weights: Tensor, mask: Tensor | None, sizes: Sizes) -> Tensor:
    """Zero the weights after softmax: what they took is lost to the row."""
    return weights if mask is None else weights * mask


def zero_times_infinity(scores: Tensor, mask: Tensor) -> Tensor:
    """Add (1 - mask) times -∞: 0 · ∞ is NaN."""
    return scores + (1 - mask.to(scores.dtype)) * -math.inf


def not_boolean(scores: Tensor, mask: Tensor) -> Tensor:
    """Hand a mask of whole numbers to `masked_fill`."""
    return scores.masked_fill(1 - mask.int(), -math.inf)


def subtracted(scores: Tensor, mask: Tensor) -> Tensor:
    """Compute 1 - mask with a bool mask, which torch refuses."""
    return scores + (1 - mask) * LARGE


def truth_value(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Ask a whole tensor whether it is true."""
    return scores.masked_fill(~mask, -math.inf) if mask else scores


def zeros_for(mask: Tensor, dtype: str) -> Tensor:
    """Return zeros in the shape of a mask: what an additive mask starts from."""
    return torch.zeros(mask.shape, dtype=getattr(torch, dtype))


# ---------------------------------------------------------------- the causal mask itself


def additive(allowed: Tensor) -> Tensor:
    """Hand out 0 and -∞, to be added to scores."""
    return torch.zeros(allowed.shape, device=allowed.device).masked_fill(~allowed, -math.inf)


def if_causal(allowed: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Tensor, Tensor, bool], Tensor]:
    """Return a step of a window that is wrong where the window must not look ahead."""
    return lambda i, j, causal: allowed(i, j) if causal else not_ahead(i, j, causal)


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "mask_ignored": {"mask": ignored},
    "mask_inverted": {
        "mask": where_given(lambda scores, mask: scores.masked_fill(mask, -math.inf)),
        "form": torch.logical_not,
        "additive": lambda mask, dtype: zeros_for(mask, dtype).masked_fill(mask, -math.inf),
    },
    "mask_inverted_finite_fill": {"mask": where_given(lambda scores, mask: scores.masked_fill(mask, LARGE))},
    "masked_scores_zero": {"mask": where_given(lambda scores, mask: scores * mask)},
    "mask_added": {"mask": where_given(lambda scores, mask: scores + mask)},
    "inverted_mask_added": {
        "mask": where_given(lambda scores, mask: scores + ~mask),
        "additive": lambda mask, dtype: (~mask).to(getattr(torch, dtype)),
    },
    "mask_after_softmax": {"mask": ignored, "after": masked_weights},
    "weak_fill_10": {
        "mask": filled(-10.0),
        "additive": lambda mask, dtype: zeros_for(mask, dtype).masked_fill(~mask, -10.0),
    },
    "weak_fill_20": {"mask": filled(-20.0)},
    "zero_times_infinity": {
        "mask": where_given(zero_times_infinity),
        "additive": lambda mask, dtype: zero_times_infinity(zeros_for(mask, dtype), mask),
    },
    "mask_transposed": {
        "mask": where_given(lambda scores, mask: scores.masked_fill(~mask.transpose(-2, -1), -math.inf)),
        "form": lambda allowed: allowed.transpose(-2, -1),
    },
    "mask_not_boolean": {
        "mask": where_given(not_boolean),
        "additive": lambda mask, dtype: not_boolean(zeros_for(mask, dtype), mask),
    },
    "mask_subtracted": {
        "mask": where_given(subtracted),
        "additive": lambda mask, dtype: subtracted(zeros_for(mask, dtype), mask),
    },
    "mask_truth_value": {"mask": truth_value, "masks_given": lambda masks: [mask for mask in masks if mask]},
    "diagonal_masked": {"allowed": lambda i, j, offset: j < i + offset, "not_ahead": if_causal(lambda i, j: j < i)},
    "one_step_too_far": {
        "allowed": lambda i, j, offset: j <= i + offset + 1,
        "not_ahead": if_causal(lambda i, j: j <= i + 1),
    },
    "anti_causal": {"allowed": lambda i, j, offset: j >= i + offset, "not_ahead": if_causal(lambda i, j: j >= i)},
    "everything_allowed": {"allowed": lambda i, j, offset: (i >= 0) & (j >= 0)},
    "top_left_aligned": {"offset": lambda n_q, n_k: 0},
    "offset_backwards": {"offset": lambda n_q, n_k: n_q - n_k},
    "key_count_ignored": {"table": lambda n_q, n_k: (n_q, n_q), "offset": lambda n_q, n_k: 0},
    "mask_left_as_numbers": {"form": lambda allowed: allowed.float()},
    "additive_mask_returned": {"form": additive},
}
