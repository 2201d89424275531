"""The steps round attention: in go tokens (…, n, d), out come normalised, transformed or added ones.

Sources: Ba et al., "Layer Normalization", 2016 (norm); Vaswani et al., "Attention Is All You Need", 2017, sections 3.1
(residual connections) and 3.3 (feed-forward).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

Norm = Callable[[Tensor], Tensor]
Pairs = tuple[tuple[Tensor, Tensor], ...]

EPS = 1e-5

# ---------------------------------------------------------------- layer normalisation


def tokens_given(x: Tensor) -> Tensor:
    """Return the tokens that were handed in, as they are."""
    return x


def norm_mean(x: Tensor) -> Tensor:
    """Return the mean of each token's features (…, n, 1)."""
    return x.mean(dim=-1, keepdim=True)


# σ² = Σ (x - μ)² / d
def norm_variance(x: Tensor) -> Tensor:
    """Return the variance of each token's features, divided by d (…, n, 1)."""
    return (x - x.mean(dim=-1, keepdim=True)).square().mean(dim=-1, keepdim=True)


def norm_centre(x: Tensor, mean: Tensor) -> Tensor:
    """Return the features with their mean taken off (…, n, d)."""
    return x - mean


# √(σ² + ε)
def norm_spread(variance: Tensor, eps: float) -> Tensor:
    """Return what the features are divided by (…, n, 1): never 0, as ε lies under the root."""
    return torch.sqrt(variance + eps)


def norm_scale(centred: Tensor, spread: Tensor) -> Tensor:
    """Return features of mean 0 and variance 1 (…, n, d)."""
    return centred / spread


# γ x̂ + β
def norm_affine(normal: Tensor, gamma: Tensor, beta: Tensor) -> Tensor:
    """Return the features with a factor and then a shift of their own each (…, n, d)."""
    return normal * gamma + beta


# ---------------------------------------------------------------- residual connections


def norm_place(mode: str) -> str:
    """Return where the norm stands: "pre", before the sub-layer, or "post", after the sum."""
    return mode


def enter(x: Tensor, norm: Norm, mode: str) -> Tensor:
    """Return what the sub-layer gets."""
    return norm(x) if mode == "pre" else x


# x + f(…)
def rejoin(x: Tensor, inner: Tensor, out: Tensor, norm: Norm, place: str) -> Tensor:
    """Return the block's input plus what the sub-layer gave; `inner` is what went into it, `place` says which one it is."""
    return x + out


def leave(total: Tensor, norm: Norm, mode: str) -> Tensor:
    """Return what the block gives."""
    return norm(total) if mode == "post" else total


def norms(pairs: Pairs) -> Pairs:
    """Return γ and β for each sub-layer in turn: one norm each."""
    return pairs


# ---------------------------------------------------------------- feed-forward


# x Wᵀ + b
def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Return (…, n, out) from (…, n, in), `weight` (out, in) as `torch.nn.Linear` stores it, and `bias` (out,)."""
    return x @ weight.T + bias


def ff_weights(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    """Return the weights of the two layers in turn: (f, d), which widens, and (d, f), which narrows."""
    return first, second


def ff_input(x: Tensor) -> Tensor:
    """Return what the first layer gets."""
    return x


# max(0, h)
def activate(hidden: Tensor) -> Tensor:
    """Return the hidden features with 0 for whatever is negative (…, n, f)."""
    return torch.relu(hidden)


def ff_output(x: Tensor, out: Tensor) -> Tensor:
    """Return what the second layer gave; `x` is what went into the first."""
    return out
