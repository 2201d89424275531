"""The named steps of every reference function: in go tensors or sizes, out comes what one line of the paper says.

A reference function takes `steps: Steps = CORRECT` and calls nothing but these. A mistake is `replace(CORRECT, scale=…)`:
one replaced step is wrong in the same way in every exercise that uses it. A later exercise adds its steps here, with
the right function as the field's value in `CORRECT`.

Axis names: n_q queries, n_k keys and values, d_k features of a query or key, d_v features of a value; "…" leading axes.
"The paper" is Vaswani et al., "Attention Is All You Need", 2017.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from . import (
    steps_blocks,
    steps_extras,
    steps_heads,
    steps_masking,
    steps_models,
    steps_modules,
    steps_positions,
    steps_similarity,
    steps_windows,
)

Shape = tuple[int, ...]


class NotApplicable(Exception):
    """A mistake that cannot be made here, because the exercise does not have the size that it needs."""


@dataclass(frozen=True)
class Sizes:
    """The sizes that a step may look at, right or wrong ones alike. What an exercise does not have is None."""

    d_k: int | None = None
    d_v: int | None = None
    n_q: int | None = None
    n_k: int | None = None
    d_model: int | None = None  # all heads together
    axis_one: int | None = None  # what `.size(1)` of the first argument gives, whatever axis that is

    def of(self, name: str) -> int:
        """Return the size called `name`; raise `NotApplicable` where there is none."""
        size: int | None = getattr(self, name)
        if size is None:
            raise NotApplicable(f"there is no {name} here")
        return size


# ---------------------------------------------------------------- attention (the paper, section 3.2.1)


def roles(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return what is used as query, key and value, in this order."""
    return query, key, value


# S = Q Kᵀ
def score(query: Tensor, key: Tensor) -> Tensor:
    """Return the dot product of each query with each key (equation 1)."""
    return query @ key.transpose(-2, -1)  # (…, n_q, n_k)


# S / √d_k
def scale(scores: Tensor, sizes: Sizes) -> Tensor:
    """Return the scores divided by √d_k, the standard deviation of a sum of d_k unit-variance products."""
    return scores / math.sqrt(sizes.of("d_k"))  # (…, n_q, n_k)


# S where allowed, -∞ elsewhere
def mask(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Return the scores with -∞ where the bool mask is False (section 3.2.3); without a mask, as they are."""
    return scores if mask is None else scores.masked_fill(~mask, -math.inf)  # (…, n_q, n_k)


# W = softmax(S) over the keys: exp(S) / Σ exp(S)
def normalise(scores: Tensor) -> Tensor:
    """Return weights: softmax along the keys, so that each query spends exactly 1."""
    return torch.softmax(scores, dim=-1)  # (…, n_q, n_k)


def after(weights: Tensor, mask: Tensor | None, sizes: Sizes) -> Tensor:
    """Return the weights as softmax left them: nothing is done to them afterwards."""
    return weights  # (…, n_q, n_k)


# O = W V
def mix(weights: Tensor, value: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """Return, for each query, the sum of the values by its weights (equation 1)."""
    return weights @ value  # (…, n_q, d_v)


def results(output: Tensor, weights: Tensor) -> Any:
    """Return what the function hands back, in the order that the exercise states."""
    return output, weights


# ---------------------------------------------------------------- causal mask (the paper, section 3.2.3)


def table(n_q: int, n_k: int) -> tuple[int, int]:
    """Return the number of rows and columns: one row a query, one column a key."""
    return n_q, n_k


def offset(n_q: int, n_k: int) -> int:
    """Return how far the diagonal lies to the right, so that the last query lines up with the last key."""
    return n_k - n_q


# M[i, j] = j ≤ i + offset
def allowed(i: Tensor, j: Tensor, offset: int) -> Tensor:
    """Return True where query i may attend to key j: its own position and everything before."""
    return j <= i + offset  # (n_q, n_k) from (n_q, 1) and (1, n_k)


def form(allowed: Tensor) -> Tensor:
    """Return the mask as it is handed out: bool, True = may attend."""
    return allowed  # (n_q, n_k)


# ---------------------------------------------------------------- shapes (the matrix products of equation 1)


def enough_axes(q_shape: Shape, k_shape: Shape, v_shape: Shape) -> None:
    """Raise ValueError where a shape has no rows or no features."""
    if min(len(q_shape), len(k_shape), len(v_shape)) < 2:
        raise ValueError("query, key and value need at least two axes")


def equal_features(q_shape: Shape, k_shape: Shape, v_shape: Shape) -> None:
    """Raise ValueError where a query and a key cannot be multiplied."""
    if q_shape[-1] != k_shape[-1]:
        raise ValueError(f"query has {q_shape[-1]} features and key {k_shape[-1]}: they must be equal")


def one_value_a_key(q_shape: Shape, k_shape: Shape, v_shape: Shape) -> None:
    """Raise ValueError where weights and values cannot be multiplied."""
    if k_shape[-2] != v_shape[-2]:
        raise ValueError(f"there are {k_shape[-2]} keys and {v_shape[-2]} values: each key needs one value")


def fit(q_shape: Shape, k_shape: Shape, v_shape: Shape) -> None:
    """Raise ValueError where the last two axes cannot take part in softmax(Q Kᵀ) V."""
    for check in (enough_axes, equal_features, one_value_a_key):
        check(q_shape, k_shape, v_shape)


def leading(q_leading: Shape, k_leading: Shape, v_leading: Shape) -> tuple[Shape, Shape]:
    """Return the leading axes of the scores and of the output; raise ValueError where they do not broadcast.

    The values come in with the second product, so their leading axes reach the output alone.
    """
    of_scores = np.broadcast_shapes(q_leading, k_leading)
    return of_scores, np.broadcast_shapes(of_scores, v_leading)


def score_axes(sizes: Sizes) -> Shape:
    """Return the last two axes of Q Kᵀ: d_k is summed away."""
    return sizes.of("n_q"), sizes.of("n_k")


def output_axes(score_axes: Shape, sizes: Sizes) -> Shape:
    """Return the last two axes of W V: the rows of W, the columns of V; n_k is summed away."""
    return score_axes[-2], sizes.of("d_v")


def shapes(scores: Shape, weights: Shape, output: Shape) -> Any:
    """Return the three shapes in the order that the exercise states."""
    return scores, weights, output


# ---------------------------------------------------------------- all of them


@dataclass(frozen=True)
class Steps:
    """One function a step. `CORRECT` is what the papers say; a mistake replaces one field or several."""

    roles: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor, Tensor]]
    score: Callable[[Tensor, Tensor], Tensor]
    scale: Callable[[Tensor, Sizes], Tensor]
    mask: Callable[[Tensor, Tensor | None], Tensor]
    normalise: Callable[[Tensor], Tensor]
    after: Callable[[Tensor, Tensor | None, Sizes], Tensor]
    mix: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
    results: Callable[[Tensor, Tensor], Any]

    table: Callable[[int, int], tuple[int, int]]
    offset: Callable[[int, int], int]
    allowed: Callable[[Tensor, Tensor, int], Tensor]
    form: Callable[[Tensor], Tensor]

    fit: Callable[[Shape, Shape, Shape], None]
    leading: Callable[[Shape, Shape, Shape], tuple[Shape, Shape]]
    score_axes: Callable[[Sizes], Shape]
    output_axes: Callable[[Shape, Sizes], Shape]
    shapes: Callable[[Shape, Shape, Shape], Any]

    # similarity, softmax along an axis, soft and hard look-up
    unmasked: Callable[[Tensor], Tensor]
    only_output: Callable[[Tensor, Tensor], Any]
    weights_given: Callable[[Tensor], Tensor]
    softmax_axis: Callable[[int], int]
    softmax_shift: Callable[[Tensor, int], Tensor]
    softmax_exp: Callable[[Tensor], Tensor]
    softmax_divide: Callable[[Tensor, int], Tensor]
    empty_slices: Callable[[Tensor, Tensor, int], Tensor]
    jacobian_diagonal: Callable[[Tensor], Tensor]
    jacobian_outer: Callable[[Tensor], Tensor]
    jacobian_combine: Callable[[Tensor, Tensor], Tensor]
    kept_scores: Callable[[Tensor, Tensor], Tensor]
    kept_scaled: Callable[[Tensor, Tensor], Tensor]
    kept_masked: Callable[[Tensor], Tensor]
    trail: Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Any]
    similarity_word: Callable[[str], str]
    unit: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
    distance_score: Callable[[Tensor, Tensor], Tensor]
    tau_check: Callable[[float], None]
    temper: Callable[[Tensor, float, Sizes], Tensor]
    after_tau: Callable[[Tensor, float], Tensor]
    k_check: Callable[[int, int], None]
    nearest: Callable[[Tensor, int], Tensor]
    equal_shares: Callable[[Tensor, Tensor, int], Tensor]

    # positions
    positions: Callable[[int], Tensor]
    exponents: Callable[[int], Tensor]
    angles: Callable[[Tensor, Tensor, float], Tensor]
    waves: Callable[[Tensor], Tensor]
    fit_in_table: Callable[[int, int], None]
    enlarge: Callable[[Tensor], Tensor]
    rows_for: Callable[[Tensor, Tensor], Tensor]
    place: Callable[[Tensor, Tensor], Tensor]

    # blocks
    norm_mean: Callable[[Tensor], Tensor]
    norm_variance: Callable[[Tensor], Tensor]
    norm_centre: Callable[[Tensor, Tensor], Tensor]
    norm_spread: Callable[[Tensor, float], Tensor]
    norm_scale: Callable[[Tensor, Tensor], Tensor]
    norm_affine: Callable[[Tensor, Tensor, Tensor], Tensor]
    norm_place: Callable[[str], str]
    enter: Callable[[Tensor, steps_blocks.Norm, str], Tensor]
    rejoin: Callable[[Tensor, Tensor, Tensor, steps_blocks.Norm, str], Tensor]
    leave: Callable[[Tensor, steps_blocks.Norm, str], Tensor]
    norms: Callable[[steps_blocks.Pairs], steps_blocks.Pairs]
    linear: Callable[[Tensor, Tensor, Tensor], Tensor]
    ff_weights: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
    ff_input: Callable[[Tensor], Tensor]
    activate: Callable[[Tensor], Tensor]
    ff_output: Callable[[Tensor, Tensor], Tensor]

    # modules
    fits_stored_mask: Callable[[int, int], None]
    unpack: Callable[[Tensor], tuple[Tensor, Tensor, Tensor]]
    cut: Callable[[Tensor, int], Tensor]
    sequences: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor, Tensor]]

    # windows, caches, softmax in blocks
    within: Callable[[Tensor, Tensor, int], Tensor]
    not_ahead: Callable[[Tensor, Tensor, bool], Tensor]
    append: Callable[[Tensor | None, Tensor], Tensor]
    seen: Callable[[Tensor, Tensor], Tensor]
    kept: Callable[[Tensor | None, Tensor, Tensor], Tensor | None]
    step_results: Callable[[Tensor, Any, Any], Any]
    blocks: Callable[[int, int], list[slice]]
    largest_at_first: Callable[[Tensor], Tensor]
    largest_so_far: Callable[[Tensor, Tensor], Tensor]
    shrink: Callable[[Tensor, Tensor], Tensor]
    block_exp: Callable[[Tensor, Tensor], Tensor]
    running_sum: Callable[[Tensor, Tensor, Tensor], Tensor]
    running_mix: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
    between_blocks: Callable[[Tensor, Tensor], Tensor]
    finish: Callable[[Tensor, Tensor], Tensor]

    # rotary positions, linear biases, linear attention
    pairs_fit: Callable[[int], None]
    rotary_positions: Callable[[Tensor | None, Tensor], Tensor]
    rotary_exponents: Callable[[int], Tensor]
    along_tokens: Callable[[Tensor, Tensor], Tensor]
    take_pairs: Callable[[Tensor], tuple[Tensor, Tensor]]
    rotate: Callable[[Tensor, Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
    put_pairs: Callable[[Tensor, Tensor], Tensor]
    slopes: Callable[[int], Tensor]
    bias_offset: Callable[[int, int], int]
    apart: Callable[[Tensor, Tensor, int], Tensor]
    penalty: Callable[[Tensor, Tensor], Tensor]
    feature: Callable[[Tensor], Tensor]
    feature_of_key: Callable[[Tensor, Tensor], Tensor]
    prefix_table: Callable[[Tensor, Tensor], Tensor]
    prefix_keys: Callable[[Tensor], Tensor]
    linear_share: Callable[[Tensor, Tensor], Tensor]
    linear_output: Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]

    # masks, and rows that allow nothing
    real: Callable[[Tensor, Tensor], Tensor]
    padding_axes: Callable[[Tensor], Tensor]
    masks_given: Callable[[Sequence[Tensor | None]], list[Tensor]]
    join: Callable[[list[Tensor]], Tensor]
    additive: Callable[[Tensor, str], Tensor]
    scores_given: Callable[[Tensor, Tensor], Tensor]
    empty_rows: Callable[[Tensor, Tensor], Tensor]

    # projections and heads
    assign: Callable[[steps_heads.Layer, steps_heads.Layer, steps_heads.Layer], tuple[steps_heads.Layer, ...]]
    project: Callable[[Tensor, steps_heads.Layer], Tensor]
    projections: Callable[[Tensor, Tensor, Tensor], Any]
    project_out: Callable[[Tensor, steps_heads.Layer], Tensor]
    fit_heads: Callable[[int, int], None]
    split: Callable[[Tensor, int, Sizes], Tensor]
    merge: Callable[[Tensor, Sizes], Tensor]
    spread: Callable[[Tensor | None, Tensor], Tensor | None]
    fit_groups: Callable[[int, int], None]
    share_heads: Callable[[Tensor, int], Tensor]

    # models
    sublayers: Callable[[tuple[str, ...]], tuple[str, ...]]
    self_mask: Callable[[Tensor, Tensor | None], Tensor | None]
    cross_mask: Callable[[Tensor, Tensor | None], Tensor | None]
    cross_sources: Callable[[Tensor, Tensor], tuple[Tensor, Tensor, Tensor]]
    cross_layers: Callable[[steps_models.Layers, steps_models.Layers], steps_models.Layers]
    shift_inputs: Callable[[Tensor, int], Tensor]
    label_ids: Callable[[Tensor, Tensor], Tensor]
    ignore_pads: Callable[[Tensor, int], Tensor]
    read_pads: Callable[[Tensor, int], Tensor]
    pair: Callable[[Tensor, Tensor], Any]
    look_up: Callable[[Tensor, Tensor], Tensor]
    real_tokens: Callable[[Tensor, int], Tensor]
    encoder_mask: Callable[[Tensor], Tensor | None]
    memory_of: Callable[[Tensor, Tensor], Tensor]
    to_logits: Callable[[Tensor, Tensor], Tensor]
    tokens_given: Callable[[Tensor], Tensor]


CORRECT = Steps(
    roles=roles,
    score=score,
    scale=scale,
    mask=mask,
    normalise=normalise,
    after=after,
    mix=mix,
    results=results,
    table=table,
    offset=offset,
    allowed=allowed,
    form=form,
    fit=fit,
    leading=leading,
    score_axes=score_axes,
    output_axes=output_axes,
    shapes=shapes,
    # similarity, softmax along an axis, soft and hard look-up
    unmasked=steps_similarity.unmasked,
    only_output=steps_similarity.only_output,
    weights_given=steps_similarity.weights_given,
    softmax_axis=steps_similarity.softmax_axis,
    softmax_shift=steps_similarity.softmax_shift,
    softmax_exp=steps_similarity.softmax_exp,
    softmax_divide=steps_similarity.softmax_divide,
    empty_slices=steps_similarity.empty_slices,
    jacobian_diagonal=steps_similarity.jacobian_diagonal,
    jacobian_outer=steps_similarity.jacobian_outer,
    jacobian_combine=steps_similarity.jacobian_combine,
    kept_scores=steps_similarity.kept_scores,
    kept_scaled=steps_similarity.kept_scaled,
    kept_masked=steps_similarity.kept_masked,
    trail=steps_similarity.trail,
    similarity_word=steps_similarity.similarity_word,
    unit=steps_similarity.unit,
    distance_score=steps_similarity.distance_score,
    tau_check=steps_similarity.tau_check,
    temper=steps_similarity.temper,
    after_tau=steps_similarity.after_tau,
    k_check=steps_similarity.k_check,
    nearest=steps_similarity.nearest,
    equal_shares=steps_similarity.equal_shares,
    # positions
    positions=steps_positions.positions,
    exponents=steps_positions.exponents,
    angles=steps_positions.angles,
    waves=steps_positions.waves,
    fit_in_table=steps_positions.fit_in_table,
    enlarge=steps_positions.enlarge,
    rows_for=steps_positions.rows_for,
    place=steps_positions.place,
    # blocks
    norm_mean=steps_blocks.norm_mean,
    norm_variance=steps_blocks.norm_variance,
    norm_centre=steps_blocks.norm_centre,
    norm_spread=steps_blocks.norm_spread,
    norm_scale=steps_blocks.norm_scale,
    norm_affine=steps_blocks.norm_affine,
    norm_place=steps_blocks.norm_place,
    enter=steps_blocks.enter,
    rejoin=steps_blocks.rejoin,
    leave=steps_blocks.leave,
    norms=steps_blocks.norms,
    linear=steps_blocks.linear,
    ff_weights=steps_blocks.ff_weights,
    ff_input=steps_blocks.ff_input,
    activate=steps_blocks.activate,
    ff_output=steps_blocks.ff_output,
    # modules
    fits_stored_mask=steps_modules.fits_stored_mask,
    unpack=steps_modules.unpack,
    cut=steps_modules.cut,
    sequences=steps_modules.sequences,
    # windows, caches, softmax in blocks
    within=steps_windows.within,
    not_ahead=steps_windows.not_ahead,
    append=steps_windows.append,
    seen=steps_windows.seen,
    kept=steps_windows.kept,
    step_results=steps_windows.step_results,
    blocks=steps_windows.blocks,
    largest_at_first=steps_windows.largest_at_first,
    largest_so_far=steps_windows.largest_so_far,
    shrink=steps_windows.shrink,
    block_exp=steps_windows.block_exp,
    running_sum=steps_windows.running_sum,
    running_mix=steps_windows.running_mix,
    between_blocks=steps_windows.between_blocks,
    finish=steps_windows.finish,
    # rotary positions, linear biases, linear attention
    pairs_fit=steps_extras.pairs_fit,
    rotary_positions=steps_extras.rotary_positions,
    rotary_exponents=steps_extras.rotary_exponents,
    along_tokens=steps_extras.along_tokens,
    take_pairs=steps_extras.take_pairs,
    rotate=steps_extras.rotate,
    put_pairs=steps_extras.put_pairs,
    slopes=steps_extras.slopes,
    bias_offset=steps_extras.bias_offset,
    apart=steps_extras.apart,
    penalty=steps_extras.penalty,
    feature=steps_extras.feature,
    feature_of_key=steps_extras.feature_of_key,
    prefix_table=steps_extras.prefix_table,
    prefix_keys=steps_extras.prefix_keys,
    linear_share=steps_extras.linear_share,
    linear_output=steps_extras.linear_output,
    # masks, and rows that allow nothing
    real=steps_masking.real,
    padding_axes=steps_masking.padding_axes,
    masks_given=steps_masking.masks_given,
    join=steps_masking.join,
    additive=steps_masking.additive,
    scores_given=steps_masking.scores_given,
    empty_rows=steps_masking.empty_rows,
    # projections and heads
    assign=steps_heads.assign,
    project=steps_heads.project,
    projections=steps_heads.projections,
    project_out=steps_heads.project_out,
    fit_heads=steps_heads.fit_heads,
    split=steps_heads.split,
    merge=steps_heads.merge,
    spread=steps_heads.spread,
    fit_groups=steps_heads.fit_groups,
    share_heads=steps_heads.share_heads,
    # models
    sublayers=steps_models.sublayers,
    self_mask=steps_models.self_mask,
    cross_mask=steps_models.cross_mask,
    cross_sources=steps_models.cross_sources,
    cross_layers=steps_models.cross_layers,
    shift_inputs=steps_models.shift_inputs,
    label_ids=steps_models.label_ids,
    ignore_pads=steps_models.ignore_pads,
    read_pads=steps_models.read_pads,
    pair=steps_models.pair,
    look_up=steps_models.look_up,
    real_tokens=steps_models.real_tokens,
    encoder_mask=steps_models.encoder_mask,
    memory_of=steps_models.memory_of,
    to_logits=steps_models.to_logits,
    tokens_given=steps_blocks.tokens_given,
)
