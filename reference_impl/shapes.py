"""The shapes of attention: in go the shapes of query, key and value, out come those of scores, weights and output."""

from __future__ import annotations

from typing import Any

from .steps import CORRECT, Shape, Sizes, Steps


# (…, n_q, d_k) (…, d_k, n_k) → (…, n_q, n_k);  (…, n_q, n_k) (…, n_k, d_v) → (…, n_q, d_v)
def output_shapes(q_shape: Shape, k_shape: Shape, v_shape: Shape, *, steps: Steps = CORRECT) -> Any:
    """Return the shapes (scores, weights, output) of softmax(Q Kᵀ) V; leading axes broadcast as in a matrix product.

    Raises ValueError where the shapes do not fit: fewer than two axes, different d_k, different n_k, or leading axes
    that do not broadcast. Source: equation 1 of the paper.
    """
    steps.fit(q_shape, k_shape, v_shape)
    sizes = Sizes(d_k=q_shape[-1], d_v=v_shape[-1], n_q=q_shape[-2], n_k=k_shape[-2])
    of_scores, of_output = steps.leading(tuple(q_shape[:-2]), tuple(k_shape[:-2]), tuple(v_shape[:-2]))
    last = steps.score_axes(sizes)
    scores = (*of_scores, *last)  # softmax changes numbers, not shapes: the weights have it too
    return steps.shapes(scores, scores, (*of_output, *steps.output_axes(last, sizes)))
