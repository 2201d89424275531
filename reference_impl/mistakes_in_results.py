"""Wrong ways to mix and to return: weights and values in, something else than (W V, W) out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import Tensor

from .steps import Shape, Sizes


def keys_mixed(weights: Tensor, value: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """Sum up keys instead of values."""
    return weights @ key


def queries_mixed(weights: Tensor, value: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """Sum up queries instead of values."""
    return weights @ query


def weights_transposed(weights: Tensor, value: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """Compute Wᵀ V: the sum runs over queries."""
    return weights.transpose(-2, -1) @ value


def multiplied_elementwise(weights: Tensor, value: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """Multiply number by number instead of row by column."""
    return weights * value


def values_averaged(weights: Tensor, value: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """Give every query the mean of the values, whatever its weights are."""
    return value.mean(dim=-2, keepdim=True).expand(*weights.shape[:-1], value.shape[-1])


def keys_as_rows(score_axes: Shape, sizes: Sizes) -> Shape:
    """Say that the output is (n_k, d_v)."""
    return sizes.of("n_k"), sizes.of("d_v")


def features_of_keys(score_axes: Shape, sizes: Sizes) -> Shape:
    """Say that the output is (n_q, d_k)."""
    return score_axes[-2], sizes.of("d_k")


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "keys_mixed": {"mix": keys_mixed, "output_axes": features_of_keys},
    "queries_mixed": {"mix": queries_mixed},
    "weights_transposed": {"mix": weights_transposed, "output_axes": keys_as_rows},
    "values_multiplied_elementwise": {"mix": multiplied_elementwise},
    "values_averaged": {"mix": values_averaged},
    "key_and_value_exchanged": {
        "roles": lambda query, key, value: (query, value, key),
        "projections": lambda query, key, value: (query, value, key),
    },
    "query_and_value_exchanged": {
        "roles": lambda query, key, value: (value, key, query),
        "projections": lambda query, key, value: (value, key, query),
    },
    "weights_returned": {
        "results": lambda output, weights: weights,
        "only_output": lambda output, weights: weights,
        "output_axes": lambda score_axes, sizes: score_axes,
    },
    "output_alone": {
        "results": lambda output, weights: output,
        "trail": lambda scores, scaled, masked, weights, output: output,
        "shapes": lambda scores, weights, output: output,
        "pair": lambda inputs, labels: inputs,
    },
    "results_swapped": {
        "results": lambda output, weights: (weights, output),
        "trail": lambda scores, scaled, masked, weights, output: (output, weights, masked, scaled, scores),
        "shapes": lambda scores, weights, output: (output, weights, scores),
        "pair": lambda inputs, labels: (labels, inputs),
    },
    "batch_axis_squeezed": {
        "results": lambda output, weights: (output.squeeze(0), weights),
        "only_output": lambda output, weights: output.squeeze(0),
    },
}
