"""Wrong windows, caches and blocks: in go what the right steps get, out come other keys, or sums that do not belong together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

# ---------------------------------------------------------------- windows


def window_of(reach: Callable[[int], int]) -> Callable[[Tensor, Tensor, int], Tensor]:
    """Return a window step that reaches another number of positions than w."""
    return lambda i, j, w: (i - j).abs() <= reach(w)


def everywhere(i: Tensor, j: Tensor, *_: Any) -> Tensor:
    """Allow every pair."""
    return (i >= 0) & (j >= 0)


def backwards_self_counted(i: Tensor, j: Tensor, w: int) -> Tensor:
    """Count the position itself among the w of those before it; look w ahead as asked."""
    return (i - j < w) & (j - i <= w)


def in_pieces(i: Tensor, j: Tensor, w: int) -> Tensor:
    """Cut the sequence into pieces of w + 1: a token at the edge of a piece has lost its neighbours."""
    return i // (w + 1) == j // (w + 1)


# ---------------------------------------------------------------- caches


def appended_twice(cache: Tensor | None, new: Tensor) -> Tensor:
    """Append what is new, and once more."""
    return torch.cat(([] if cache is None else [cache]) + [new, new], dim=-2)


def prepended(cache: Tensor | None, new: Tensor) -> Tensor:
    """Put what is new before what is old."""
    return new if cache is None else torch.cat([new, cache], dim=-2)


def along_axis_one(cache: Tensor | None, new: Tensor) -> Tensor:
    """Append along axis 1, which is the heads once there are heads: an error, or more heads."""
    return new if cache is None else torch.cat([cache, new], dim=1)


# ---------------------------------------------------------------- softmax in blocks


def whole_blocks(n: int, size: int) -> list[slice]:
    """Take n // size blocks and lose what is left over."""
    return [slice(start, start + size) for start in range(0, n - n % size, size)]


def largest_of_block(largest: Tensor, scores: Tensor) -> Tensor:
    """Forget the largest score of earlier blocks: right until the factor overflows."""
    return scores.amax(dim=-1, keepdim=True)


def factor_of_one(before: Tensor, now: Tensor) -> Tensor:
    """Leave earlier sums as they are, although they were made with another shift."""
    return torch.ones_like(now)


def mix_not_shrunk(output: Tensor, factor: Tensor, exponentials: Tensor, value: Tensor) -> Tensor:
    """Take the sum to the new shift, but not the mix."""
    return output + exponentials @ value


def sum_not_shrunk(total: Tensor, factor: Tensor, exponentials: Tensor) -> Tensor:
    """Take the mix to the new shift, but not the sum."""
    return total + exponentials.sum(dim=-1, keepdim=True)


def block_shares(output: Tensor, factor: Tensor, exponentials: Tensor, value: Tensor) -> Tensor:
    """Run softmax in each block by itself and add up what comes out."""
    return output + exponentials / exponentials.sum(dim=-1, keepdim=True) @ value


def last_block_alone(output: Tensor, factor: Tensor, exponentials: Tensor, value: Tensor) -> Tensor:
    """Overwrite the mix with every block."""
    return exponentials @ value


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "window_too_wide": {"within": window_of(lambda w: w + 1)},
    "window_too_narrow": {"within": window_of(lambda w: w - 1)},
    "window_counted_as_whole": {"within": window_of(lambda w: w // 2)},
    "window_twice_as_wide": {"within": window_of(lambda w: 2 * w)},
    "window_ignored": {"within": everywhere},
    "window_before_counts_itself": {"within": backwards_self_counted},
    "window_in_pieces": {"within": in_pieces},
    "window_looks_ahead": {"not_ahead": lambda i, j, causal: everywhere(i, j)},
    "window_never_looks_ahead": {"not_ahead": lambda i, j, causal: j <= i},
    "cache_not_grown": {"kept": lambda cache, grown, new: cache},
    "cache_overwritten": {"kept": lambda cache, grown, new: new},
    "cache_not_attended": {"seen": lambda grown, new: new},
    "cache_grown_twice": {"append": appended_twice},
    "cache_behind_new": {"append": prepended},
    "cache_grown_along_axis_one": {"append": along_axis_one},
    "caches_exchanged": {"step_results": lambda output, keys, values: (output, values, keys)},
    "cache_step_output_alone": {"step_results": lambda output, keys, values: output},
    "cache_step_output_last": {"step_results": lambda output, keys, values: (keys, values, output)},
    "last_block_lost": {"blocks": whole_blocks},
    "block_shift_forgotten": {"largest_so_far": largest_of_block},
    "block_shift_starts_at_zero": {"largest_at_first": torch.zeros_like},
    "blocks_not_shrunk": {"shrink": factor_of_one},
    "block_mix_not_shrunk": {"running_mix": mix_not_shrunk},
    "block_sum_not_shrunk": {"running_sum": sum_not_shrunk},
    "block_factor_upside_down": {"shrink": lambda before, now: torch.exp(now - before)},
    "blocks_divided_too_early": {"between_blocks": lambda output, total: output / total},
    "blocks_divided_early_and_once": {
        "between_blocks": lambda output, total: output / total,
        "finish": lambda output, total: output,
    },
    "blocks_normalised_apart": {
        "largest_so_far": largest_of_block,
        "running_mix": block_shares,
        "finish": lambda output, total: output,
    },
    "block_mix_overwritten": {"running_mix": last_block_alone},
}
