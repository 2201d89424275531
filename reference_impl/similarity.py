"""The pieces of attention before they are put together: in go vectors, scores or weights, out come the right answers.

Source of the formulas: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from .steps import CORRECT, NotApplicable, Sizes, Steps


class Absent:
    """Stands where a step expects a tensor that an exercise does not have: a mistake that uses it cannot be made there."""

    @classmethod
    def __torch_function__(cls, *_: Any, **__: Any) -> Any:
        raise NotApplicable("there is no such tensor here")


ABSENT: Any = Absent()


def sizes_of(query: Tensor, key: Tensor, value: Tensor) -> Sizes:
    """Return the sizes that a step of attention may look at."""
    return Sizes(
        d_k=query.shape[-1],
        d_v=value.shape[-1],
        n_q=query.shape[-2],
        n_k=key.shape[-2],
        axis_one=query.shape[1],
    )


# S = Q Kᵀ
def similarity_scores(q: Tensor, k: Tensor, *, steps: Steps = CORRECT) -> Any:
    """Return the dot product (…, n_q, n_k) of each query in `q` (…, n_q, d) with each key in `k` (…, n_k, d)."""
    return steps.score(q, k)


# exp(x - max x) / Σ exp(x - max x)
def softmax_rows(x: Tensor, dim: int, *, steps: Steps = CORRECT) -> Any:
    """Return softmax of `x` along `dim`, in the same shape; zeros for a slice that holds -∞ alone.

    Source: Goodfellow et al., "Deep Learning", 2016, section 4.1, for the shift.
    """
    axis = steps.softmax_axis(dim)
    exponentials = steps.softmax_exp(steps.softmax_shift(x, axis))
    return steps.empty_slices(steps.softmax_divide(exponentials, axis), x, axis)


# J = diag(w) - w wᵀ
def softmax_jacobian(weights: Tensor, *, steps: Steps = CORRECT) -> Any:
    """Return the derivative (…, n, n) of each weight (row) by each score (column), from `weights` (…, n) = softmax(scores).

    Source: Bishop, "Pattern Recognition and Machine Learning", 2006, equation 4.106.
    """
    diagonal = steps.jacobian_diagonal(weights)
    return steps.jacobian_combine(diagonal, steps.jacobian_outer(weights))


# O = W V
def attend(weights: Tensor, v: Tensor, *, steps: Steps = CORRECT) -> Any:
    """Return the values `v` (…, n_k, d_v) mixed by `weights` (…, n_q, n_k): (…, n_q, d_v)."""
    weights = steps.weights_given(weights)
    return steps.only_output(steps.mix(weights, v, ABSENT, ABSENT), weights)


# softmax(Q Kᵀ / √d_k) V
def scaled_dot_product(q: Tensor, k: Tensor, v: Tensor, *, steps: Steps = CORRECT) -> Any:
    """Return the output (…, n_q, d_v) of attention without a mask (equation 1): q (…, n_q, d_k), k (…, n_k, d_k), v (…, n_k, d_v)."""
    sizes = sizes_of(q, k, v)
    q, k, v = steps.roles(q, k, v)
    scores = steps.unmasked(steps.scale(steps.score(q, k), sizes))  # (…, n_q, n_k)
    weights = steps.after(steps.normalise(scores), None, sizes)
    return steps.only_output(steps.mix(weights, v, q, k), weights)  # (…, n_q, d_v)


# Q Kᵀ, ⋅ / √d_k, -∞ where forbidden, softmax, ⋅ V
def five_steps(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, *, steps: Steps = CORRECT) -> Any:
    """Return (scores, scaled, masked, weights, output) of masked attention, each stage as the step before left it.

    `mask` bool, True = may attend, broadcastable to (…, n_q, n_k). The first four are (…, n_q, n_k), the output (…, n_q, d_v).
    """
    sizes = sizes_of(q, k, v)
    q, k, v = steps.roles(q, k, v)
    scores = steps.score(q, k)
    scaled = steps.scale(scores, sizes)
    masked = steps.mask(scaled, mask)
    weights = steps.after(steps.normalise(masked), mask, sizes)
    output = steps.mix(weights, v, q, k)
    scores, scaled, masked = (
        steps.kept_scores(scores, scaled),
        steps.kept_scaled(scaled, masked),
        steps.kept_masked(masked),
    )
    return steps.trail(scores, scaled, masked, weights, output)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "similarity_scores": similarity_scores,
    "softmax_rows": softmax_rows,
    "softmax_jacobian": softmax_jacobian,
    "attend": attend,
    "scaled_dot_product": scaled_dot_product,
    "five_steps": five_steps,
}
