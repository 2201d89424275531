"""Masks: in go numbers of queries and keys, out come bool tables in which True = may attend."""

from __future__ import annotations

import torch
from torch import Tensor

from .steps import CORRECT, Steps


# M[i, j] = j ≤ i + n_k - n_q
def causal_mask(
    n_q: int, n_k: int | None = None, device: torch.device | str | None = None, *, steps: Steps = CORRECT
) -> Tensor:
    """Return the bool mask (n_q, n_k) of positions that query i may attend to; `n_k` is `n_q` when not given.

    Bottom-right aligned: the last query lines up with the last key, as when n_k - n_q keys lie in a cache.
    Source: the paper, section 3.2.3; the alignment for n_q ≠ n_k is a convention of this course.
    """
    return steps.form(pattern(n_q, n_q if n_k is None else n_k, device, steps))


def pattern(n_q: int, n_k: int, device: torch.device | str | None, steps: Steps) -> Tensor:
    """Return where query i may attend to key j, before the mask gets the form in which it is handed out."""
    rows, columns = steps.table(n_q, n_k)
    i = torch.arange(rows, device=device)[:, None]  # (n_q, 1)
    j = torch.arange(columns, device=device)[None, :]  # (1, n_k)
    return steps.allowed(i, j, steps.offset(n_q, n_k))  # (n_q, n_k)
