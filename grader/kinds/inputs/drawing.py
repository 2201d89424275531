"""What an input kind is: the axes that it needs sizes for, and a draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from grader.kinds import Vocabulary
from grader.kinds.axes import PATTERN, names_in, size_of
from grader.kinds.kind import Kind
from grader.kinds.numbers import Array
from grader.model import Value

Axis = Annotated[str, Field(pattern=PATTERN)] | Annotated[int, Field(ge=1, le=4096)]
Axes = Annotated[tuple[Axis, ...], Field(strict=False, max_length=8)]

Sizes = Mapping[str, int]


class InputKind(Kind):
    """What every input kind offers: the axes it needs sizes for, and a draw."""

    word: ClassVar[str]
    needs_torch: ClassVar[bool] = False  # whether it means nothing where arrays are numpy's

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

    def numbers(self, sizes: Sizes) -> int:
        """How many numbers an argument of these sizes has."""
        return prod(self.shape(sizes))

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        """Return the argument."""
        raise NotImplementedError


INPUTS: Vocabulary[type[InputKind]] = Vocabulary()


def input_kind(word: str) -> Callable[[type[InputKind]], type[InputKind]]:
    """Decorate the class that an input word stands for."""

    def add(kind: type[InputKind]) -> type[InputKind]:
        kind.word = word
        return INPUTS.word(word)(kind)

    return add


def real_positions(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Where a key of a padded batch is no padding: the first ones of each sample, to different lengths."""
    keys = shape[-1]
    lengths = keys - 1 - (np.arange(shape[0]) + rng.integers(keys)) % max(1, keys - 1)
    real = np.arange(keys) < lengths.reshape(-1, *[1] * (len(shape) - 1))
    return np.array(np.broadcast_to(real, shape))
