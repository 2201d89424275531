"""What is no tensor: sizes, shapes, devices, constants, results of earlier cases."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from grader.kinds.inputs.drawing import Axes, Axis, InputKind, Sizes, input_kind
from grader.model import Device, ResultOf, Value


@input_kind("size")
class Size(InputKind):
    """The size of an axis, as a whole number."""

    size: Axis

    @property
    def shape_axes(self) -> tuple[str | int, ...]:
        return (self.size,)

    def numbers(self, sizes: Sizes) -> int:
        return 1

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return self.shape(sizes)[0]


@input_kind("shape")
class Shape(InputKind):
    """The sizes of several axes, as a tuple of whole numbers: the shape of a tensor without the tensor."""

    shape_: Axes = Field(alias="shape")

    @property
    def shape_axes(self) -> tuple[str | int, ...]:
        return self.shape_

    def numbers(self, sizes: Sizes) -> int:
        return len(self.shape_)

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return self.shape(sizes)


@input_kind("device")
class DeviceInput(InputKind):
    """The device that the run is on, as a `torch.device`."""

    needs_torch = True
    device: bool

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return Device("")  # the plan fills it in: only it knows the device of the run


@input_kind("value")
class Literal(InputKind):
    """A constant: a number, a string, true or false, null, or a list of them (passed as a tuple)."""

    value: bool | int | float | str | Annotated[tuple[bool | int | float | str, ...], Field(strict=False)] | None

    @property
    def shape_axes(self) -> tuple[str | int, ...]:
        return ()

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        return self.value


@input_kind("result_of")
class EarlierResult(InputKind):
    """A result of an earlier case, as the learner's own function gave it there: `case`, or `case.result` of several."""

    result_of: str

    @property
    def shape_axes(self) -> tuple[str | int, ...]:
        return ()

    def draw(self, sizes: Sizes, rng: np.random.Generator) -> Value:
        case, _, result = self.result_of.partition(".")
        return ResultOf(case, result)  # the plan knows the call
