"""Attention as a look-up among neighbours: in go query, keys and values, out come the values of the nearest ones, mixed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from .similarity import sizes_of
from .steps import CORRECT, Sizes, Steps


def _compared(word: str, query: Tensor, key: Tensor, steps: Steps) -> Tensor:
    """Return the similarity (…, n_q, n_k) of each query and each key that a word stands for."""
    if word == "neg_sq_dist":
        return steps.distance_score(query, key)
    return steps.score(*(steps.unit(query, key) if word == "cosine" else (query, key)))


# softmax(sim(q, k) / τ) V
def soft_knn(
    query: Tensor, keys: Tensor, values: Tensor, similarity: str, tau: float, *, steps: Steps = CORRECT
) -> Any:
    """Return (…, n_q, d_v): for each query the values of all keys, mixed by softmax of their similarity divided by `tau`.

    `query` (…, n_q, d), `keys` (…, n, d), `values` (…, n, d_v). `similarity` is "dot", "cosine" (0 where a vector is zero)
    or "neg_sq_dist", minus the squared distance; raise ValueError for another word. With "dot" and tau = √d it is attention.
    """
    word, sizes = steps.similarity_word(similarity), sizes_of(query, keys, values)
    query, keys, values = steps.roles(query, keys, values)
    scores = steps.unmasked(steps.temper(_compared(word, query, keys, steps), tau, sizes))  # (…, n_q, n)
    weights = steps.after_tau(steps.normalise(scores), tau)
    return steps.only_output(steps.mix(weights, values, query, keys), weights)


# softmax(S / τ)
def temperature_softmax(scores: Tensor, tau: float, *, steps: Steps = CORRECT) -> Any:
    """Return softmax of `scores` / `tau` along the last axis; raise ValueError unless `tau` is above 0.

    Source: Hinton et al., "Distilling the Knowledge in a Neural Network", 2015, equation 1.
    """
    steps.tau_check(tau)
    return steps.after_tau(steps.normalise(steps.unmasked(steps.temper(scores, tau, Sizes()))), tau)


# (1/k) Σ v_j over the k keys with the largest q·k_j
def hard_knn(query: Tensor, keys: Tensor, values: Tensor, k: int, *, steps: Steps = CORRECT) -> Any:
    """Return (…, n_q, d_v): for each query the mean of the values of the `k` keys with the largest dot products.

    `query` (…, n_q, d), `keys` (…, n, d), `values` (…, n, d_v); raise ValueError unless 1 ≤ k ≤ n.
    """
    steps.k_check(k, keys.shape[-2])
    query, keys, values = steps.roles(query, keys, values)
    scores = steps.score(query, keys)  # (…, n_q, n)
    weights = steps.equal_shares(steps.nearest(scores, k), scores, k)
    return steps.only_output(steps.mix(weights, values, query, keys), weights)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "soft_knn": soft_knn,
    "temperature_softmax": temperature_softmax,
    "hard_knn": hard_knn,
}
