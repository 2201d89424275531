"""Masks, and scores that a mask has been laid on."""

from __future__ import annotations

import numpy as np

from grader.kinds.inputs.drawing import Axes, InputKind, Sizes, input_kind, real_positions
from grader.model import Tensor, Value


def _some_of_each(shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Random bools with a True and a False in each row of the last axis."""
    mask = rng.random(shape) < 0.55
    rows = mask.reshape(-1, shape[-1])
    first = rng.integers(0, shape[-1], len(rows))
    second = (first + rng.integers(1, max(2, shape[-1]), len(rows))) % shape[-1]
    rows[np.arange(len(rows)), second] = False
    rows[np.arange(len(rows)), first] = True
    return mask


@input_kind("bool_mask")
class BoolMask(InputKind):
    """A bool tensor, True = may attend; each row of the last axis has an allowed and a forbidden key."""

    bool_mask: Axes

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return Tensor("bool", _some_of_each(self.shape(sizes), rng))


@input_kind("padding_mask")
class PaddingMask(InputKind):
    """A bool tensor, True for the first keys of each sample; the samples of the first axis have different lengths."""

    padding_mask: Axes

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return Tensor("bool", real_positions(self.shape(sizes), rng))


@input_kind("causal_mask")
class CausalMask(InputKind):
    """A bool tensor, True where key j may be seen by query i: j <= i + keys - queries (bottom-right aligned)."""

    causal_mask: Axes

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        shape = self.shape(sizes)
        queries, keys = shape[-2:]
        mask = np.tril(np.ones((queries, keys), dtype=bool), k=keys - queries)
        return Tensor("bool", np.broadcast_to(mask, shape).copy())


@input_kind("full_mask")
class FullMask(InputKind):
    """A bool tensor that allows everything."""

    full_mask: Axes

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return Tensor("bool", np.ones(self.shape(sizes), dtype=bool))


@input_kind("masked_scores")
class MaskedScores(InputKind):
    """A float32 tensor of standard normal numbers and -∞, some of each in every row; with `empty_row` the first row of each
    table holds -∞ alone."""

    masked_scores: Axes
    empty_row: bool = False

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        shape = self.shape(sizes)
        array = np.where(_some_of_each(shape, rng), rng.standard_normal(shape), -np.inf)
        if self.empty_row:
            array[..., 0, :] = -np.inf
        return Tensor("float32", array.astype(np.float32))
