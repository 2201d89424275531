"""What stands round attention in a Transformer: in go tokens (…, n, d), out come tokens of the same shape.

Sources: Ba et al., "Layer Normalization", 2016; Vaswani et al., "Attention Is All You Need", 2017, sections 3.1 and 3.3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .steps import CORRECT, Steps
from .steps_blocks import EPS


# γ (x - μ) / √(σ² + ε) + β
def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float = EPS, *, steps: Steps = CORRECT) -> Tensor:
    """Return `x` (…, n, d) with each token normalised alone, then scaled by `gamma` (d,) and shifted by `beta` (d,)."""
    x = steps.tokens_given(x)
    return _normalised(x, gamma, beta, steps.norm_spread(steps.norm_variance(x), eps), steps)


def block_norm(gamma: Tensor, beta: Tensor, steps: Steps) -> Callable[[Tensor], Tensor]:
    """Return the norm of a sub-layer. Its ε is the usual one and too small to show, so it is not among the steps."""
    return lambda x: _normalised(x, gamma, beta, torch.sqrt(steps.norm_variance(x) + EPS), steps)


def _normalised(x: Tensor, gamma: Tensor, beta: Tensor, spread: Tensor, steps: Steps) -> Tensor:
    centred = steps.norm_centre(x, steps.norm_mean(x))
    return steps.norm_affine(steps.norm_scale(centred, spread), gamma, beta)


# pre: x + f(norm(x))   post: norm(x + f(x))
def around(
    x: Tensor,
    sublayer: Callable[[Tensor], Tensor],
    norm: Callable[[Tensor], Tensor],
    mode: str,
    place: str,
    steps: Steps,
) -> Tensor:
    """Return a sub-layer's result with its residual connection and its norm. `place` names the sub-layer."""
    mode = steps.norm_place(mode)
    inner = steps.enter(x, norm, mode)
    return steps.leave(steps.rejoin(x, inner, sublayer(inner), norm, place), norm, mode)


def residual(
    x: Tensor, w: Tensor, b: Tensor, gamma: Tensor, beta: Tensor, mode: str, *, steps: Steps = CORRECT
) -> Tensor:
    """Return a block round the sub-layer x Wᵀ + b, `x` (…, n, d), `w` (d, d), with the norm "pre" or "post" (section 3.1)."""
    return around(x, lambda z: steps.linear(z, w, b), block_norm(gamma, beta, steps), mode, "", steps)


# max(0, x W₁ᵀ + b₁) W₂ᵀ + b₂
def feed_forward(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, *, steps: Steps = CORRECT) -> Tensor:
    """Return equation 2 of the paper for each token: `x` (…, n, d), `w1` (f, d), `b1` (f,), `w2` (d, f), `b2` (d,)."""
    first, second = steps.ff_weights(w1, w2)
    hidden = steps.activate(steps.linear(steps.ff_input(x), first, b1))  # (…, n, f)
    return steps.ff_output(x, steps.linear(hidden, second, b2))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "layer_norm": layer_norm,
    "residual": residual,
    "feed_forward": feed_forward,
}
