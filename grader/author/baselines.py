"""Answers that nobody should get points for: constants, copies of inputs, means, uniform weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from grader.kinds.numbers import Array
from grader.model import (
    SIZES,
    Call,
    DrawnCase,
    Expectations,
    Isolation,
    Observation,
    Observations,
    Plan,
    Submission,
    Tensor,
    Value,
    Verdict,
)

Maker = Callable[[tuple[int, ...], list[Array]], Array]


def _copy(position: int) -> Maker:
    """A copy of an input where its shape fits, else zeros."""

    def make(shape: tuple[int, ...], inputs: list[Array]) -> Array:
        given = inputs[position % len(inputs)] if inputs else np.zeros(())
        return given if given.shape == shape else np.zeros(shape)

    return make


def _mean(shape: tuple[int, ...], inputs: list[Array]) -> Array:
    """The mean of the last input over its rows, in every row: what uniform weights give."""
    if inputs and inputs[-1].ndim == len(shape) >= 2 and inputs[-1].shape[-1] == shape[-1]:
        mean = inputs[-1].mean(axis=-2, keepdims=True)
        if all(m in (1, s) for m, s in zip(mean.shape, shape, strict=True)):
            return np.broadcast_to(mean, shape)
    return np.full(shape, 1 / shape[-1] if shape else 1.0)


BASELINES: Mapping[str, Maker] = {
    "zeros": lambda shape, inputs: np.zeros(shape),
    "ones": lambda shape, inputs: np.ones(shape),
    "uniform weights": lambda shape, inputs: np.full(shape, 1 / shape[-1] if shape else 1.0),
    "mean of the last input": _mean,
    "copy of the first input": _copy(0),
    "copy of the second input": _copy(1),
    "copy of the last input": _copy(-1),
}


@dataclass(frozen=True)
class Baseline:
    """A runner that answers every call with one trivial answer of the right kind and shape."""

    maker: Maker
    expectations: Expectations

    def run(self, plan: Plan, submission: Submission | None = None) -> Observations:
        """Return the trivial answers."""
        drawn = {case.case.name: case for case in plan.cases}
        calls = {
            call.id: Observation(call.id, Verdict.PASSED, self._answer(call, drawn[call.case])) for call in plan.calls
        }
        return Observations(Verdict.PASSED, calls, Isolation("none", (), keeps_answers=False))

    def _answer(self, call: Call, drawn: DrawnCase) -> Value:
        right = self.expectations.right.get(drawn.case.name)
        if right is None:
            return None
        inputs = [v.array for v in call.arguments.values() if isinstance(v, Tensor) and v.dtype != "bool"]
        if isinstance(right, tuple) and not all(kind == SIZES for kind in drawn.returns.values()):
            return tuple(self._like(item, inputs) for item in right)
        if isinstance(right, Tensor):
            return self._like(right, inputs)
        tuples = [np.asarray(v) for v in call.arguments.values() if isinstance(v, tuple)]
        return _plain(right, lambda shape: self.maker(shape, tuples))

    def _like(self, right: Tensor, inputs: list[Array]) -> Tensor:
        dtype = (
            right.array.dtype if right.dtype == "bool" or not right.dtype.startswith("float") else np.dtype("float32")
        )
        return Tensor(str(dtype), np.ascontiguousarray(self.maker(right.shape, inputs)).astype(dtype))


def _plain(right: Value, make: Callable[[tuple[int, ...]], Array]) -> Value:
    """Tuples of whole numbers in the structure of the right ones."""
    if isinstance(right, tuple) and all(isinstance(item, int) for item in right):
        return tuple(int(n) for n in make((len(right),)))
    return tuple(_plain(item, make) for item in right) if isinstance(right, tuple) else 0
