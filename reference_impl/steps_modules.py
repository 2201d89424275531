"""Steps of whole modules: packed projections, a mask that is stored once, which sequence asks and which one answers.

What they share with functions (split, merge, score, mask, …) lies in `steps` and `steps_heads`.
"""

from __future__ import annotations

from torch import Tensor

# ---------------------------------------------------------------- causal self-attention


def fits_stored_mask(n: int, longest: int) -> None:
    """Raise ValueError where a sequence is longer than the mask that was stored for it."""
    if n > longest:
        raise ValueError(f"{n} tokens, but the mask was made for {longest}")


def unpack(packed: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return query, key and value, in this order, from one projection to all three: (B, n, 3 d_model) → 3 × (B, n, d_model)."""
    query, key, value = packed.chunk(3, dim=-1)
    return query, key, value


def cut(stored: Tensor, n: int) -> Tensor:
    """Return the part of a stored mask that a sequence of n tokens uses (n, n)."""
    return stored[:n, :n]


# ---------------------------------------------------------------- attention between two sequences


def sequences(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return the sequences that queries, keys and values are made of."""
    return query, key, value
