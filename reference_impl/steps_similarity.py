"""Steps of similarity, softmax and soft look-up: in go scores or vectors, out comes what one line of the formula says.

`Steps` lists them; what they share with attention (score, scale, normalise, mix, …) lies in `steps`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

if TYPE_CHECKING:
    from .steps import Sizes

# ---------------------------------------------------------------- exercises with fewer results or without a mask


def unmasked(scores: Tensor) -> Tensor:
    """Return the scores of an exercise that has no mask as they are."""
    return scores


def only_output(output: Tensor, weights: Tensor) -> Any:
    """Return what is handed back where the exercise asks for the output alone."""
    return output


def weights_given(weights: Tensor) -> Tensor:
    """Return weights that are an argument as they are: they are normalised already."""
    return weights


# ---------------------------------------------------------------- softmax along an axis


def softmax_axis(dim: int) -> int:
    """Return the axis that softmax runs along."""
    return dim


# x - max x
def softmax_shift(x: Tensor, axis: int) -> Tensor:
    """Return the numbers with the largest of their own slice taken off: softmax stays the same, exp stays finite."""
    return x - x.amax(dim=axis, keepdim=True)


# exp x
def softmax_exp(shifted: Tensor) -> Tensor:
    """Return the exponential of each number."""
    return torch.exp(shifted)


# e / Σ e
def softmax_divide(exponentials: Tensor, axis: int) -> Tensor:
    """Return shares: each number divided by the sum of its slice."""
    return exponentials / exponentials.sum(dim=axis, keepdim=True)


def empty_slices(weights: Tensor, x: Tensor, axis: int) -> Tensor:
    """Return the weights with zeros where a slice of x holds -∞ alone: nothing is allowed there (a rule of this course)."""
    return weights.masked_fill((x == -math.inf).all(dim=axis, keepdim=True), 0.0)


# ---------------------------------------------------------------- the Jacobian of softmax: J = diag(w) - w wᵀ


def jacobian_diagonal(weights: Tensor) -> Tensor:
    """Return diag(w): what a weight gains when its own score rises."""
    return torch.diag_embed(weights)  # (…, n, n)


def jacobian_outer(weights: Tensor) -> Tensor:
    """Return w wᵀ: what each weight loses when any score rises, because all of them share the sum."""
    return weights.unsqueeze(-1) * weights.unsqueeze(-2)  # (…, n, n)


def jacobian_combine(diagonal: Tensor, outer: Tensor) -> Tensor:
    """Return what is gained minus what is lost."""
    return diagonal - outer  # (…, n, n)


# ---------------------------------------------------------------- all five steps of attention laid open


def kept_scores(scores: Tensor, scaled: Tensor) -> Tensor:
    """Return the scores that are handed out: as they were before they were scaled."""
    return scores


def kept_scaled(scaled: Tensor, masked: Tensor) -> Tensor:
    """Return the scaled scores that are handed out: as they were before they were masked."""
    return scaled


def kept_masked(masked: Tensor) -> Tensor:
    """Return the masked scores that are handed out: with -∞ itself where attending is forbidden."""
    return masked


def trail(scores: Tensor, scaled: Tensor, masked: Tensor, weights: Tensor, output: Tensor) -> Any:
    """Return every stage in the order in which it comes about."""
    return scores, scaled, masked, weights, output


# ---------------------------------------------------------------- soft and hard look-up


SIMILARITIES = ("dot", "cosine", "neg_sq_dist")


def similarity_word(word: str) -> str:
    """Return which similarity is meant; raise ValueError for a word that names none."""
    if word not in SIMILARITIES:
        raise ValueError(f"similarity must be one of {', '.join(SIMILARITIES)}, got {word}")
    return word


# x / |x|
def unit(query: Tensor, key: Tensor) -> tuple[Tensor, Tensor]:
    """Return query and key with length 1; a zero vector stays zero, so that its cosine with anything is 0."""
    return torch.nn.functional.normalize(query, dim=-1), torch.nn.functional.normalize(key, dim=-1)


# -|q - k|²
def distance_score(query: Tensor, key: Tensor) -> Tensor:
    """Return minus the squared distance of each query and each key: 0 for equal vectors, less the further they lie apart."""
    return -(query.unsqueeze(-2) - key.unsqueeze(-3)).square().sum(dim=-1)  # (…, n_q, n_k)


def tau_check(tau: float) -> None:
    """Raise ValueError where a temperature is not above 0."""
    if tau <= 0:
        raise ValueError(f"tau must be above 0, got {tau}")


# S / τ
def temper(scores: Tensor, tau: float, sizes: Sizes) -> Tensor:
    """Return the scores divided by the temperature: a small one sharpens, a large one flattens."""
    return scores / tau


def after_tau(weights: Tensor, tau: float) -> Tensor:
    """Return the weights as softmax left them: the temperature has done its work before."""
    return weights


def k_check(k: int, n: int) -> None:
    """Raise ValueError where there are not k neighbours to choose, or none are asked for."""
    if not 1 <= k <= n:
        raise ValueError(f"k must be from 1 to {n}, got {k}")


def nearest(scores: Tensor, k: int) -> Tensor:
    """Return True for the k keys with the largest scores of each query."""
    best = scores.topk(k, dim=-1).indices  # (…, n_q, k)
    return torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)  # (…, n_q, n_k)


def equal_shares(chosen: Tensor, scores: Tensor, k: int) -> Tensor:
    """Return the weight 1/k for each chosen key and 0 for the others."""
    return chosen.to(scores.dtype) / k  # (…, n_q, n_k)
