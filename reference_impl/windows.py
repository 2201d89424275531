"""Windows, caches, blocks: attention at less cost. In go queries, keys and values, out come masks, outputs and caches.

Sources: see `steps_windows`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .masks import pattern
from .similarity import sizes_of
from .steps import CORRECT, Steps


def band(n: int, w: int, causal: bool, device: Any, steps: Steps) -> Tensor:
    """Return where query i may attend to key j (n, n), before the mask gets the form in which it is handed out."""
    i, j = torch.arange(n, device=device)[:, None], torch.arange(n, device=device)[None, :]
    return steps.within(i, j, w) & steps.not_ahead(i, j, causal)


# M[i, j] = |i - j| ≤ w, and j ≤ i if causal
def local_window_mask(n: int, w: int, causal: bool = False, *, steps: Steps = CORRECT) -> Tensor:
    """Return the bool mask (n, n), True = may attend, of keys at most `w` positions away; none ahead if `causal`."""
    return steps.form(band(n, w, causal, None, steps))


# softmax(Q Kᵀ / √d_k, where |i - j| ≤ w) V
def windowed_attention(q: Tensor, k: Tensor, v: Tensor, w: int, *, steps: Steps = CORRECT) -> Any:
    """Return the output (…, n, d_v) of attention in which each position sees `w` neighbours on either side, and itself."""
    mask = band(q.shape[-2], w, False, q.device, steps)
    return steps.only_output(*_both(q, k, v, mask, steps))


def _both(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, steps: Steps) -> tuple[Tensor, Tensor]:
    """Return output and weights of masked attention, whatever an exercise hands out of them."""
    sizes = sizes_of(q, k, v)
    q, k, v = steps.roles(q, k, v)
    weights = steps.normalise(steps.mask(steps.scale(steps.score(q, k), sizes), mask))
    weights = steps.after(weights, mask, sizes)
    return steps.mix(weights, v, q, k), weights


def kv_cache_step(
    k_cache: Tensor | None, v_cache: Tensor | None, q: Tensor, k: Tensor, v: Tensor, *, steps: Steps = CORRECT
) -> Any:
    """Return (output, k_cache, v_cache): m new tokens attend to p cached ones and causally to themselves.

    `q`, `k` (…, m, d_k), `v` (…, m, d_v); `k_cache` (…, p, d_k), `v_cache` (…, p, d_v), or None for an empty cache.
    `output` (…, m, d_v); the caches come back with p + m tokens.
    """
    keys, values = steps.append(k_cache, k), steps.append(v_cache, v)
    seen_keys, seen_values = steps.seen(keys, k), steps.seen(values, v)
    mask = pattern(q.shape[-2], seen_keys.shape[-2], q.device, steps)
    output, _ = _both(q, seen_keys, seen_values, mask, steps)
    return steps.step_results(output, steps.kept(k_cache, keys, k), steps.kept(v_cache, values, v))


# softmax(Q Kᵀ / √d_k) V, one block of keys at a time
def blockwise_attention(q: Tensor, k: Tensor, v: Tensor, block: int, *, steps: Steps = CORRECT) -> Any:
    """Return the output (…, n_q, d_v) of attention without a mask, with no more than (…, n_q, block) scores at a time."""
    sizes = sizes_of(q, k, v)
    output = q.new_zeros((*q.shape[:-1], v.shape[-1]))
    total = q.new_zeros((*q.shape[:-1], 1))
    largest = steps.largest_at_first(total)
    for part in steps.blocks(k.shape[-2], block):
        scores = steps.scale(steps.score(q, k[..., part, :]), sizes)
        before, largest = largest, steps.largest_so_far(largest, scores)
        factor, exponentials = steps.shrink(before, largest), steps.block_exp(scores, largest)
        total = steps.running_sum(total, factor, exponentials)
        output = steps.between_blocks(steps.running_mix(output, factor, exponentials, v[..., part, :]), total)
    return steps.after(steps.finish(output, total), None, sizes)  # what is done to weights later is done to the output


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "local_window_mask": local_window_mask,
    "windowed_attention": windowed_attention,
    "kv_cache_step": kv_cache_step,
    "blockwise_attention": blockwise_attention,
}
