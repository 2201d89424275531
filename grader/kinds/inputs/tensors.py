"""Tensors of numbers: drawn, or fixed by their axes."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from grader.kinds.axes import names_in, size_of
from grader.kinds.inputs.drawing import Axes, Axis, InputKind, Sizes, input_kind, real_positions
from grader.model import Tensor, Value


@input_kind("normal")
class Normal(InputKind):
    """A float32 tensor of standard normal numbers, times `scale`."""

    normal: Axes
    scale: float = 1.0

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return Tensor("float32", (rng.standard_normal(self.shape(sizes)) * self.scale).astype(np.float32))


@input_kind("integers")
class Integers(InputKind):
    """A float32 tensor of whole numbers from `low` to `high`: products of them are exact in float32."""

    integers: Axes
    low: int = -3
    high: int = 3

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return Tensor("float32", rng.integers(self.low, self.high + 1, self.shape(sizes)).astype(np.float32))


@input_kind("arrays")
class Arrays(InputKind):
    """A dict of float32 tensors by name, such as the weights of a layer: standard normal, times `scale`.

    A tensor of two axes or more is divided by the root of the last one, so that a layer keeps the size of what goes through.
    """

    arrays: Annotated[dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")], Axes], Field(min_length=1)]
    scale: float = 1.0

    @property
    def axes(self) -> tuple[str, ...]:
        return tuple(name for shape in self.arrays.values() for axis in shape for name in names_in(axis))

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return {name: self._kind(axes, sizes).draw(sizes, rng) for name, axes in self.arrays.items()}

    def _kind(self, axes: tuple[str | int, ...], sizes: Sizes) -> InputKind:
        root = size_of(axes[-1], sizes) ** 0.5 if len(axes) > 1 else 1.0
        return Normal(normal=axes, scale=self.scale / root)


@input_kind("token_ids")
class TokenIds(InputKind):
    """An int64 tensor of token numbers, from `first` to one less than `below` (a number, or an axis: the vocabulary).

    With `pad`, each sample of the first axis ends in a different number of these, as in a padded batch.
    """

    token_ids: Axes
    below: Axis
    first: int = 0
    pad: int | None = None

    @property
    def axes(self) -> tuple[str, ...]:
        return (*super().axes, *names_in(self.below))

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        shape = self.shape(sizes)
        ids = rng.integers(self.first, size_of(self.below, sizes), shape)
        return Tensor("int64", ids if self.pad is None else np.where(real_positions(shape, rng), ids, self.pad))


@input_kind("outlier")
class Outlier(InputKind):
    """A float32 tensor of standard normal numbers; in each table the first row is multiplied by `times`, then moved by `plus`."""

    outlier: Axes
    times: float = 1.0
    plus: float = 0.0

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        array = rng.standard_normal(self.shape(sizes))
        array[..., 0, :] = array[..., 0, :] * self.times + self.plus
        return Tensor("float32", array.astype(np.float32))


@input_kind("weights")
class Weights(InputKind):
    """A float32 tensor whose rows are positive and add up to 1: softmax of standard normal numbers times `sharpness`."""

    weights: Axes
    sharpness: float = 1.0

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        exponentials = np.exp(rng.standard_normal(self.shape(sizes)) * self.sharpness)
        return Tensor("float32", (exponentials / exponentials.sum(-1, keepdims=True)).astype(np.float32))


@input_kind("identity")
class Identity(InputKind):
    """A float32 tensor whose last two axes hold ones on the diagonal: as `value`, it shows the weights."""

    identity: Axes

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        shape = self.shape(sizes)
        return Tensor("float32", np.broadcast_to(np.eye(*shape[-2:], dtype=np.float32), shape).copy())


@input_kind("lengths")
class Lengths(InputKind):
    """An int64 tensor of sequence lengths, from `least` to the size of the axis `of`; no two alike while there are enough."""

    lengths: Axes
    of: Axis
    least: Annotated[int, Field(ge=0)] = 1

    @property
    def axes(self) -> tuple[str, ...]:
        return (*super().axes, *names_in(self.of))

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        longest = size_of(self.of, sizes)
        order = rng.permutation(np.arange(min(self.least, longest), longest + 1))
        return Tensor("int64", np.resize(order, self.shape(sizes)).astype(np.int64))
