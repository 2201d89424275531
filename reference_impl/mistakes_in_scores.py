"""Wrong ways to score and to scale: query and key in, scores out that are not Q Kᵀ / √d_k."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .steps import Shape, Sizes


def divided_by(divisor: Callable[[Sizes], float]) -> Callable[[Tensor, Sizes], Tensor]:
    """Return a scale step that divides by something else than √d_k."""
    return lambda scores, sizes: scores / divisor(sizes)


def unscaled(scores: Tensor, sizes: Sizes) -> Tensor:
    """Leave the scores as they are."""
    return scores


def scaled_twice(scores: Tensor, sizes: Sizes) -> Tensor:
    """Scale the query, and then the scores again: the same function as dividing by d_k."""
    root = math.sqrt(sizes.of("d_k"))
    return scores / root / root


def multiplied_by_root(scores: Tensor, sizes: Sizes) -> Tensor:
    """Multiply by √d_k, or divide by a stored 1/√d_k."""
    return scores * math.sqrt(sizes.of("d_k"))


def scaled_later(scores: Tensor, sizes: Sizes) -> Tensor:
    """Leave scaling to a step after softmax: not applicable where the scores are all there is."""
    sizes.of("d_v")
    return scores


def scaled_weights(weights: Tensor, mask: Tensor | None, sizes: Sizes) -> Tensor:
    """Divide what softmax gave."""
    return weights / math.sqrt(sizes.of("d_k"))


def key_not_transposed(query: Tensor, key: Tensor) -> Tensor:
    """Multiply Q by K as it lies: an error, unless n_k = d_k."""
    return query @ key


def multiplied_elementwise(query: Tensor, key: Tensor) -> Tensor:
    """Multiply number by number instead of row by column."""
    return query * key


def all_axes_reversed(query: Tensor, key: Tensor) -> Tensor:
    """Use `.T`, which turns round the leading axes too."""
    return query @ key.permute(*range(key.dim())[::-1])  # `.T` without its warning


def key_reshaped(query: Tensor, key: Tensor) -> Tensor:
    """Re-read the memory of K as (d_k, n_k): the right shape, the wrong numbers."""
    return query @ key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])


def roles_exchanged(query: Tensor, key: Tensor) -> Tensor:
    """Compute K Qᵀ: rows belong to keys."""
    return key @ query.transpose(-2, -1)


def turned_axes(sizes: Sizes) -> Shape:
    """Say that the scores are (n_k, n_q)."""
    return sizes.of("n_k"), sizes.of("n_q")


def queries_with_themselves(query: Tensor, key: Tensor) -> Tensor:
    """Compute Q Qᵀ."""
    return query @ query.transpose(-2, -1)


def query_axes(sizes: Sizes) -> Shape:
    """Say that the scores are (n_q, n_q)."""
    return sizes.of("n_q"), sizes.of("n_q")


def keys_with_themselves(query: Tensor, key: Tensor) -> Tensor:
    """Compute K Kᵀ."""
    return key @ key.transpose(-2, -1)


def cosine_scores(query: Tensor, key: Tensor) -> Tensor:
    """Take the cosine of the angle: lengths no longer count."""
    return torch.nn.functional.normalize(query, dim=-1) @ torch.nn.functional.normalize(key, dim=-1).transpose(-2, -1)


def squared_distance_scores(query: Tensor, key: Tensor) -> Tensor:
    """Take minus the squared distance."""
    return -(query.unsqueeze(-2) - key.unsqueeze(-3)).square().sum(-1)


def uniform_scores(query: Tensor, key: Tensor) -> Tensor:
    """Score every pair alike, so that the weights are equal."""
    return torch.zeros_like(query @ key.transpose(-2, -1))


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "unscaled": {"scale": unscaled},
    "divided_by_d_k": {"scale": divided_by(lambda sizes: sizes.of("d_k"))},
    "scaled_twice": {"scale": scaled_twice},
    "multiplied_by_root": {"scale": multiplied_by_root},
    "root_cut_to_integer": {"scale": divided_by(lambda sizes: math.isqrt(sizes.of("d_k")))},
    "divided_by_half_of_d_k": {"scale": divided_by(lambda sizes: sizes.of("d_k") // 2)},
    "divided_by_root_of_keys": {"scale": divided_by(lambda sizes: math.sqrt(sizes.of("n_k")))},
    "divided_by_root_of_queries": {"scale": divided_by(lambda sizes: math.sqrt(sizes.of("n_q")))},
    "divided_by_root_of_d_v": {"scale": divided_by(lambda sizes: math.sqrt(sizes.of("d_v")))},
    "divided_by_root_of_axis_one": {"scale": divided_by(lambda sizes: math.sqrt(sizes.of("axis_one")))},
    "divided_by_eight": {"scale": divided_by(lambda sizes: 8)},
    "scaled_after_softmax": {"scale": scaled_later, "after": scaled_weights},
    "key_not_transposed": {"score": key_not_transposed},
    "multiplied_elementwise": {"score": multiplied_elementwise},
    "all_axes_reversed": {"score": all_axes_reversed},
    "key_reshaped": {"score": key_reshaped},
    "roles_exchanged": {"score": roles_exchanged, "score_axes": turned_axes},
    "queries_with_themselves": {"score": queries_with_themselves, "score_axes": query_axes},
    "keys_with_themselves": {"score": keys_with_themselves},
    "cosine_scores": {"score": cosine_scores},
    "squared_distance_scores": {"score": squared_distance_scores},
    "uniform_weights": {"score": uniform_scores},
}
