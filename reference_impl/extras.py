"""Rotary positions, linear biases, linear attention: in go vectors or numbers, out come rotated vectors, biases, outputs.

Sources: see `steps_extras`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .steps import CORRECT, Steps


# (x_2i, x_2i+1) turned by p / base^(2i / d)
def rotary_embedding(
    x: Tensor, positions: Tensor | None = None, base: float = 10000.0, *, steps: Steps = CORRECT
) -> Tensor:
    """Return `x` (…, n, d) with each pair of neighbouring features turned by an angle that grows with the token's position.

    `positions` (n,) int64, 0 … n - 1 when not given. The dot product of two rotated vectors depends on how far they are apart
    alone. Raises ValueError where d is odd.
    """
    n, d = x.shape[-2:]
    steps.pairs_fit(d)
    position = steps.rotary_positions(positions, steps.positions(n)).to(torch.float64)
    angles = steps.along_tokens(steps.angles(position, steps.rotary_exponents(d), base), x)
    a, b = steps.take_pairs(x)
    return steps.put_pairs(*steps.rotate(a, b, torch.cos(angles).to(x.dtype), torch.sin(angles).to(x.dtype)))


# B[h, i, j] = -m_h |i + n_k - n_q - j|
def alibi_bias(n_q: int, n_k: int, h: int, *, steps: Steps = CORRECT) -> Tensor:
    """Return the bias (h, n_q, n_k) that is added to the scores of each head: minus its slope times the distance."""
    i = torch.arange(n_q, dtype=torch.float64)[:, None]
    j = torch.arange(n_k, dtype=torch.float64)[None, :]
    return steps.penalty(steps.slopes(h), steps.apart(i, j, steps.bias_offset(n_q, n_k)))


# φ(q_t) Σ φ(k_s) v_sᵀ / φ(q_t) Σ φ(k_s), both sums over s ≤ t
def linear_attention(q: Tensor, k: Tensor, v: Tensor, *, steps: Steps = CORRECT) -> Tensor:
    """Return the output (…, n, d_v) of causal linear attention: `q`, `k` (…, n, d), `v` (…, n, d_v), φ(x) = elu(x) + 1."""
    query, key = steps.feature(q), steps.feature_of_key(steps.feature(k), k)
    table, keys = steps.prefix_table(key, v), steps.prefix_keys(key)
    mixed = (query.unsqueeze(-2) @ table).squeeze(-2)  # (…, n, d_v)
    total = (query * keys).sum(dim=-1, keepdim=True)  # (…, n, 1)
    return steps.linear_output(steps.linear_share(mixed, total), q, k, v)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "rotary_embedding": rotary_embedding,
    "alibi_bias": alibi_bias,
    "linear_attention": linear_attention,
}
