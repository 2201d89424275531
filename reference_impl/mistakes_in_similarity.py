"""Wrong ways to compare, to take softmax along an axis and to look up: vectors or scores in, other neighbours out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .mistakes_in_masking import filled_with
from .mistakes_in_weights import LARGE, handed_on
from .steps import Sizes
from .steps_similarity import SIMILARITIES, equal_shares, jacobian_combine, nearest


def diagonal_alone(diagonal: Tensor, outer: Tensor) -> Tensor:
    """Derive each weight by its own score only, as if softmax worked number by number."""
    return torch.diag_embed(jacobian_combine(diagonal, outer).diagonal(dim1=-2, dim2=-1))


def rows_multiplied_together(weights: Tensor) -> Tensor:
    """Compute Wᵀ W: all rows of the table end up in one product."""
    return weights.transpose(-2, -1) @ weights


def outer_of_one_vector(weights: Tensor) -> Tensor:
    """Use `torch.outer`, which takes a single vector."""
    return torch.outer(weights, weights)


def key_not_normalised(query: Tensor, key: Tensor) -> tuple[Tensor, Tensor]:
    """Divide by the length of the query alone."""
    return torch.nn.functional.normalize(query, dim=-1), key


def zero_divided(query: Tensor, key: Tensor) -> tuple[Tensor, Tensor]:
    """Divide by a length that may be 0: 0 / 0 is NaN."""
    return query / query.norm(dim=-1, keepdim=True), key / key.norm(dim=-1, keepdim=True)


def distance_not_squared(query: Tensor, key: Tensor) -> Tensor:
    """Take minus the distance itself."""
    return -(query.unsqueeze(-2) - key.unsqueeze(-3)).norm(dim=-1)


def distance_without_minus(query: Tensor, key: Tensor) -> Tensor:
    """Take the squared distance as a similarity: the farthest key wins."""
    return (query.unsqueeze(-2) - key.unsqueeze(-3)).square().sum(dim=-1)


def scaled_besides(scores: Tensor, tau: float, sizes: Sizes) -> Tensor:
    """Divide by √d as well: attention's own temperature on top of the one that was given."""
    return scores / tau / math.sqrt(sizes.of("d_k"))


def zero_alone_refused(tau: float) -> None:
    """Raise for 0 and let negative temperatures through."""
    if tau == 0:
        raise ValueError("tau must not be 0")


def farthest(scores: Tensor, k: int) -> Tensor:
    """Choose the k smallest scores."""
    return nearest(-scores, k)


def nearest_alone(scores: Tensor, k: int) -> Tensor:
    """Choose one key whatever k is."""
    return nearest(scores, 1)


def chosen_along_queries(scores: Tensor, k: int) -> Tensor:
    """Let each key choose k queries."""
    return nearest(scores.transpose(-2, -1), k).transpose(-2, -1)


def softmax_among_chosen(chosen: Tensor, scores: Tensor, k: int) -> Tensor:
    """Weigh the chosen keys by softmax: sparse soft attention, not the plain mean."""
    return torch.softmax(scores.masked_fill(~chosen, -math.inf), dim=-1)


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    # softmax along an axis
    "dim_ignored": {"softmax_axis": lambda dim: -1},
    "first_axis_whatever_dim_says": {"softmax_axis": lambda dim: 0},
    "shifted_by_the_largest_of_all": {
        "softmax_shift": lambda x, axis: x - x.amax(),
        "largest_so_far": lambda largest, scores: torch.maximum(largest, scores.amax().expand_as(largest)),
    },
    "softmax_of_single_numbers": {"softmax_divide": lambda exponentials, axis: exponentials / exponentials},
    "empty_slice_is_nan": {"empty_slices": handed_on},
    # the Jacobian of softmax
    "jacobian_without_outer": {"jacobian_combine": handed_on},
    "jacobian_without_diagonal": {"jacobian_combine": lambda diagonal, outer: -outer},
    "jacobian_negated": {"jacobian_combine": lambda diagonal, outer: outer - diagonal},
    "jacobian_added": {"jacobian_combine": lambda diagonal, outer: diagonal + outer},
    "jacobian_diagonal_alone": {"jacobian_combine": diagonal_alone},
    "weights_in_every_column": {"jacobian_diagonal": lambda weights: weights.unsqueeze(-1)},
    "weights_in_every_row": {"jacobian_diagonal": lambda weights: weights.unsqueeze(-2)},
    "rows_multiplied_together": {"jacobian_outer": rows_multiplied_together},
    "outer_of_one_vector": {"jacobian_diagonal": torch.diag, "jacobian_outer": outer_of_one_vector},
    # what is handed back
    "both_results_returned": {"only_output": lambda output, weights: (output, weights)},
    "scaled_in_place": {"kept_scores": lambda scores, scaled: scaled},
    "masked_in_place": {"kept_scaled": lambda scaled, masked: masked},
    "fill_not_infinite": {
        "kept_masked": lambda masked: masked.masked_fill(masked == -math.inf, LARGE),
        "additive": filled_with(LARGE),
    },
    # soft look-up
    "similarity_ignored": {"similarity_word": lambda word: "dot"},
    "unknown_similarity_accepted": {"similarity_word": lambda word: word if word in SIMILARITIES else "neg_sq_dist"},
    "key_not_normalised": {"unit": key_not_normalised},
    "cosine_of_zero_is_nan": {"unit": zero_divided},
    "distance_not_squared": {"distance_score": distance_not_squared},
    "distance_without_minus": {"distance_score": distance_without_minus},
    # temperature
    "multiplied_by_tau": {"temper": lambda scores, tau, sizes: scores * tau},
    "tau_ignored": {"temper": handed_on},
    "divided_by_tau_after_softmax": {"temper": handed_on, "after_tau": lambda weights, tau: weights / tau},
    "power_not_normalised": {"temper": handed_on, "after_tau": lambda weights, tau: weights ** (1 / tau)},
    "scaled_besides_tau": {"temper": scaled_besides},
    "tau_not_checked": {"tau_check": lambda tau: None},
    "negative_tau_accepted": {"tau_check": zero_alone_refused},
    # hard look-up
    "farthest_chosen": {"nearest": farthest},
    "nearest_alone": {
        "nearest": nearest_alone,
        "equal_shares": lambda chosen, scores, k: equal_shares(chosen, scores, 1),
    },
    "chosen_along_queries": {"nearest": chosen_along_queries},
    "summed_not_averaged": {"equal_shares": lambda chosen, scores, k: chosen.to(scores.dtype)},
    "divided_by_all_keys": {"equal_shares": lambda chosen, scores, k: equal_shares(chosen, scores, scores.shape[-1])},
    "softmax_among_chosen": {"equal_shares": softmax_among_chosen},
    "k_not_checked": {"k_check": lambda k, n: None},
}
