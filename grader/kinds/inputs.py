"""Input kinds: how one argument of the learner's function is drawn from the sizes of a case.

To add a kind, add one class here: its field named like the word holds the main value, further fields are options.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from grader.kinds import Vocabulary
from grader.kinds.axes import PATTERN, names_in, size_of
from grader.kinds.kind import Kind
from grader.kinds.numbers import Array
from grader.model import Device, ResultOf, Tensor, Value

Axis = Annotated[str, Field(pattern=PATTERN)] | Annotated[int, Field(ge=1, le=4096)]
Axes = Annotated[tuple[Axis, ...], Field(strict=False, max_length=8)]

Sizes = Mapping[str, int]


class InputKind(Kind):
    """What every input kind offers: the axes it needs sizes for, and a draw."""

    word: ClassVar[str]

    @property
    def shape_axes(self) -> tuple[str | int, ...]:
        """The axes of the tensor in order, `()` when it is none."""
        value = getattr(self, self.word)
        return value if isinstance(value, tuple) else ()

    @property
    def axes(self) -> tuple[str, ...]:
        """The named axes that a case must give sizes for."""
        return tuple(name for axis in self.shape_axes for name in names_in(axis))

    def shape(self, sizes: Sizes) -> tuple[int, ...]:
        """The shape for these sizes; a number in the axes stands for itself."""
        return tuple(size_of(axis, sizes) for axis in self.shape_axes)

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        """Return the argument."""
        raise NotImplementedError


INPUTS: Vocabulary[type[InputKind]] = Vocabulary()


def _input(word: str) -> Callable[[type[InputKind]], type[InputKind]]:
    def add(kind: type[InputKind]) -> type[InputKind]:
        kind.word = word
        return INPUTS.word(word)(kind)

    return add


@_input("normal")
class Normal(InputKind):
    """A float32 tensor of standard normal numbers, times `scale`."""

    normal: Axes
    scale: float = 1.0

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return Tensor("float32", (rng.standard_normal(self.shape(sizes)) * self.scale).astype(np.float32))


@_input("integers")
class Integers(InputKind):
    """A float32 tensor of whole numbers from `low` to `high`: products of them are exact in float32."""

    integers: Axes
    low: int = -3
    high: int = 3

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return Tensor("float32", rng.integers(self.low, self.high + 1, self.shape(sizes)).astype(np.float32))


@_input("arrays")
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


@_input("token_ids")
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
        return Tensor("int64", ids if self.pad is None else np.where(_real(shape, rng), ids, self.pad))


@_input("outlier")
class Outlier(InputKind):
    """A float32 tensor of standard normal numbers; in each table the first row is multiplied by `times`, then moved by `plus`."""

    outlier: Axes
    times: float = 1.0
    plus: float = 0.0

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        array = rng.standard_normal(self.shape(sizes))
        array[..., 0, :] = array[..., 0, :] * self.times + self.plus
        return Tensor("float32", array.astype(np.float32))


@_input("masked_scores")
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


@_input("weights")
class Weights(InputKind):
    """A float32 tensor whose rows are positive and add up to 1: softmax of standard normal numbers times `sharpness`."""

    weights: Axes
    sharpness: float = 1.0

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        exponentials = np.exp(rng.standard_normal(self.shape(sizes)) * self.sharpness)
        return Tensor("float32", (exponentials / exponentials.sum(-1, keepdims=True)).astype(np.float32))


@_input("identity")
class Identity(InputKind):
    """A float32 tensor whose last two axes hold ones on the diagonal: as `value`, it shows the weights."""

    identity: Axes

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        shape = self.shape(sizes)
        return Tensor("float32", np.broadcast_to(np.eye(*shape[-2:], dtype=np.float32), shape).copy())


@_input("bool_mask")
class BoolMask(InputKind):
    """A bool tensor, True = may attend; each row of the last axis has an allowed and a forbidden key."""

    bool_mask: Axes

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return Tensor("bool", _some_of_each(self.shape(sizes), rng))


def _some_of_each(shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Random bools with a True and a False in each row of the last axis."""
    mask = rng.random(shape) < 0.55
    rows = mask.reshape(-1, shape[-1])
    first = rng.integers(0, shape[-1], len(rows))
    second = (first + rng.integers(1, max(2, shape[-1]), len(rows))) % shape[-1]
    rows[np.arange(len(rows)), second] = False
    rows[np.arange(len(rows)), first] = True
    return mask


@_input("padding_mask")
class PaddingMask(InputKind):
    """A bool tensor, True for the first keys of each sample; the samples of the first axis have different lengths."""

    padding_mask: Axes

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return Tensor("bool", _real(self.shape(sizes), rng))


def _real(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Where a key of a padded batch is no padding: the first ones of each sample, to different lengths."""
    keys = shape[-1]
    lengths = keys - 1 - (np.arange(shape[0]) + rng.integers(keys)) % max(1, keys - 1)
    real = np.arange(keys) < lengths.reshape(-1, *[1] * (len(shape) - 1))
    return np.array(np.broadcast_to(real, shape))


@_input("causal_mask")
class CausalMask(InputKind):
    """A bool tensor, True where key j may be seen by query i: j <= i + keys - queries (bottom-right aligned)."""

    causal_mask: Axes

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        shape = self.shape(sizes)
        queries, keys = shape[-2:]
        mask = np.tril(np.ones((queries, keys), dtype=bool), k=keys - queries)
        return Tensor("bool", np.broadcast_to(mask, shape).copy())


@_input("full_mask")
class FullMask(InputKind):
    """A bool tensor that allows everything."""

    full_mask: Axes

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return Tensor("bool", np.ones(self.shape(sizes), dtype=bool))


@_input("lengths")
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


@_input("size")
class Size(InputKind):
    """The size of an axis, as a whole number."""

    size: Axis

    @property
    def shape_axes(self) -> tuple[str | int, ...]:
        return (self.size,)

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return self.shape(sizes)[0]


@_input("shape")
class Shape(InputKind):
    """The sizes of several axes, as a tuple of whole numbers: the shape of a tensor without the tensor."""

    shape_: Axes = Field(alias="shape")

    @property
    def shape_axes(self) -> tuple[str | int, ...]:
        return self.shape_

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return self.shape(sizes)


@_input("device")
class DeviceInput(InputKind):
    """The device that the run is on, as a `torch.device`."""

    device: bool

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return Device("")  # the plan fills it in: only it knows the device of the run


@_input("value")
class Literal(InputKind):
    """A constant: a number, a string, true or false, null, or a list of them (passed as a tuple)."""

    value: bool | int | float | str | Annotated[tuple[bool | int | float | str, ...], Field(strict=False)] | None

    @property
    def shape_axes(self) -> tuple[str | int, ...]:
        return ()

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return self.value


@_input("result_of")
class EarlierResult(InputKind):
    """A result of an earlier case, as the learner's own function gave it there: `case`, or `case.result` of several."""

    result_of: str

    @property
    def shape_axes(self) -> tuple[str | int, ...]:
        return ()

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        case, _, result = self.result_of.partition(".")
        return ResultOf(case, result)  # the plan knows the call
