"""Wrong ways to normalise, to add and to transform tokens: tokens (…, n, d) in, other ones out than asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .steps_blocks import Norm


def normed_over(*axes: int) -> dict[str, Callable[..., Any]]:
    """Return steps that take mean and variance over other axes, all of them when none is named."""

    def mean(x: Tensor) -> Tensor:
        return x.mean(dim=axes or tuple(range(x.dim())), keepdim=True)

    return {"norm_mean": mean, "norm_variance": lambda x: mean((x - mean(x)).square())}


def centred_in_place(x: Tensor) -> Tensor:
    """Take the mean off the very tensor that was handed in."""
    return x.sub_(x.mean(dim=-1, keepdim=True))


def unbiased(x: Tensor) -> Tensor:
    """Divide by d - 1, as `std` and `var` do by default."""
    return (x - x.mean(dim=-1, keepdim=True)).square().sum(dim=-1, keepdim=True) / (x.shape[-1] - 1)


def adds(thing: Callable[[Tensor, Tensor, Tensor, Norm], Tensor], only: str = "") -> Callable[..., Tensor]:
    """Return a `rejoin` step that gives something else than x plus the sub-layer's result, perhaps in one place only."""

    def rejoin(x: Tensor, inner: Tensor, out: Tensor, norm: Norm, place: str) -> Tensor:
        return thing(x, inner, out, norm) if not only or place == only else x + out

    return rejoin


def only_the_result(x: Tensor, inner: Tensor, out: Tensor, norm: Norm) -> Tensor:
    """Forget to add the input."""
    return out


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "tokens_changed_in_place": {"tokens_given": centred_in_place},
    "unbiased_variance": {"norm_variance": unbiased},
    "eps_outside_root": {"norm_spread": lambda variance, eps: torch.sqrt(variance) + eps},
    "eps_missing": {"norm_spread": lambda variance, eps: torch.sqrt(variance)},
    "eps_ignored": {"norm_spread": lambda variance, eps: torch.sqrt(variance + 1e-5)},
    "normed_over_tokens": normed_over(-2),
    "normed_over_samples": normed_over(0),
    "normed_over_tokens_and_features": normed_over(-2, -1),
    "normed_over_everything": normed_over(),
    "divided_by_variance": {"norm_scale": lambda centred, spread: centred / spread**2},
    "divided_by_squared_variance": {"norm_scale": lambda centred, spread: centred / spread**4},
    "not_divided_by_spread": {"norm_scale": lambda centred, spread: centred},
    "mean_not_subtracted": {"norm_centre": lambda x, mean: x},
    "root_mean_square_norm": {
        "norm_centre": lambda x, mean: x,
        "norm_variance": lambda x: x.square().mean(dim=-1, keepdim=True),
    },
    "gamma_and_beta_missing": {"norm_affine": lambda normal, gamma, beta: normal},
    "gamma_missing": {"norm_affine": lambda normal, gamma, beta: normal + beta},
    "beta_missing": {"norm_affine": lambda normal, gamma, beta: normal * gamma},
    "beta_before_gamma": {"norm_affine": lambda normal, gamma, beta: (normal + beta) * gamma},
    "gamma_and_beta_exchanged": {"norm_affine": lambda normal, gamma, beta: normal * beta + gamma},
    "gamma_plus_one": {"norm_affine": lambda normal, gamma, beta: normal * (1 + gamma) + beta},
    "residual_missing": {"rejoin": adds(only_the_result)},
    "residual_doubled": {"rejoin": adds(lambda x, inner, out, norm: out + out)},
    "input_added_twice": {"rejoin": adds(lambda x, inner, out, norm: x + x + out)},
    "normed_input_added": {"rejoin": adds(lambda x, inner, out, norm: inner + out)},
    "norm_before_and_after_exchanged": {"norm_place": lambda mode: {"pre": "post", "post": "pre"}[mode]},
    "always_norm_after": {"norm_place": lambda mode: "post"},
    "always_norm_before": {"norm_place": lambda mode: "pre"},
    "normed_before_and_after": {
        "enter": lambda x, norm, mode: norm(x),
        "leave": lambda total, norm, mode: norm(total),
    },
    "only_sublayer_normed": {
        "enter": lambda x, norm, mode: x,
        "rejoin": adds(lambda x, inner, out, norm: x + norm(out)),
        "leave": lambda total, norm, mode: total,
    },
    "norm_missing": {"enter": lambda x, norm, mode: x, "leave": lambda total, norm, mode: total},
    "layer_weight_not_transposed": {"linear": lambda x, weight, bias: x @ weight + bias},
    "layer_bias_dropped": {"linear": lambda x, weight, bias: x @ weight.T},
    "activation_missing": {"activate": lambda hidden: hidden},
    "activation_gelu": {"activate": torch.nn.functional.gelu},
    "activation_sigmoid": {"activate": torch.sigmoid},
    "activation_tanh": {"activate": torch.tanh},
    "activation_keeps_negatives": {"activate": lambda hidden: hidden.clamp(max=0)},
    "activation_before_first_layer": {"ff_input": torch.relu, "activate": lambda hidden: hidden},
    "activation_after_second_layer": {
        "activate": lambda hidden: hidden,
        "ff_output": lambda x, out: torch.relu(out),
    },
    "activation_after_both_layers": {"ff_output": lambda x, out: torch.relu(out)},
    "input_added_inside": {"ff_output": lambda x, out: x + out},
    "layers_exchanged": {"ff_weights": lambda first, second: (second.T, first.T)},
}
