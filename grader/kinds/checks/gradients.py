"""Checks of the function in training and in other precisions: gradients, low precision, device."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from grader.kinds.axes import size_of
from grader.kinds.checks.ladder import Ask, CheckKind, Finding, Rung, Seen, check, named
from grader.kinds.checks.values import value_message
from grader.kinds.numbers import as_float, compare, is_float
from grader.model import SIZES, Built, DrawnCase, Exercise, Message, Observation, Tensor, Value, Verdict, message

GRADIENT_ATOL, GRADIENT_RTOL = 1e-4, 1e-3
LOOSE = {"float16": 1e-2, "bfloat16": 5e-2}
IN_PLACE = re.compile("modified by an inplace operation")
"""How torch says that a tensor was changed which the way back still needs."""


@check("gradients")
class Gradients(CheckKind):
    """The gradient of a random combination of the results equals the reference's, for each floating input.

    `not_in` names cases that have none to compare, such as one at a kink. The mistakes that are enough to be named: `detached`
    where no gradient arrives, `in_place` where a tensor was changed that the way back still needs, `not_finite` where the result
    is finite and its gradient is not.
    """

    rung = Rung.GRADIENTS
    needs_torch = True
    demand = message(
        "Gradients have to flow back from the result to the inputs: no numpy, `detach` or `no_grad` on the way."
    )
    detached: str = ""
    in_place: str = ""
    not_finite: str = ""
    not_in: Annotated[tuple[str, ...], Field(strict=False)] = ()

    def calls(self, exercise: Exercise, case: DrawnCase) -> Mapping[str, Ask] | None:
        if case.case.name in self.not_in:
            return None
        given = {**case.arguments, **(case.built.state if case.built else {})}
        names = tuple(n for n, v in given.items() if isinstance(v, Tensor) and is_float(v))
        if not names or case.case.raises or any(axes == SIZES for axes in case.returns.values()):
            return None
        rng = np.random.default_rng(len(case.sizes))
        shapes = [tuple(size_of(axis, case.sizes) for axis in axes) for axes in case.returns.values()]
        cotangent = tuple(Tensor("float32", rng.standard_normal(shape).astype(np.float32)) for shape in shapes)
        return {"": Ask(None, names, cotangent)}

    def judge(self, seen: Seen) -> Finding | None:
        observed = seen.extra.get("")
        if not isinstance(observed, Observation) or not seen.gradients:
            return None
        if observed.fault or observed.verdict is not Verdict.PASSED:
            told = observed.fault.text if observed.fault else ""
            said = told if told and not seen.case.case.hidden else observed.verdict.value
            text = message("no gradient can be computed through your function: {said}", said=said)
            return self._found(text, self.in_place if IN_PLACE.search(told) else "")
        found = (self._against(seen, name, observed.gradients.get(name)) for name in seen.gradients)
        return next((finding for finding in found if finding), None)

    def _against(self, seen: Seen, name: str, got: Tensor | None) -> Finding | None:
        """Return what is wrong with the gradient for one input, or None."""
        expected = seen.gradients[name]
        if got is None:
            if np.abs(expected.array).max() <= GRADIENT_ATOL:
                return None
            text = message("no gradient reaches `{name}`: it was detached, or not used", name=name)
            return self._found(text, self.detached)
        if got.shape != expected.shape:
            return Finding(message("the gradient with respect to `{name}` has another shape than it", name=name))
        if not np.isfinite(as_float(got)).all():
            text = message("the gradient with respect to `{name}` is not finite, although the result is", name=name)
            return self._found(text, self.not_finite)
        worst = compare(got, expected, GRADIENT_ATOL, GRADIENT_RTOL)
        if worst is None:
            return None
        difference = value_message(worst, seen.case.axes[name])
        return Finding(message("the gradient with respect to `{name}` is wrong: {text}", name=name, text=difference))

    def _found(self, text: Message, mistake: str) -> Finding:
        return Finding(text, mistakes=(mistake,) if mistake else ())


def cast(arguments: Mapping[str, Value], dtype: str) -> dict[str, Value]:
    """Return the arguments in another floating dtype, those in dicts too. numpy lacks bfloat16: the array stays float32 there."""
    numpy_dtype = {"bfloat16": "float32"}.get(dtype, dtype)

    def converted(value: Value) -> Value:
        if isinstance(value, Mapping):
            return cast(value, dtype)
        if isinstance(value, Tensor) and is_float(value):
            return Tensor(dtype, value.array.astype(numpy_dtype))
        return value

    return {name: converted(value) for name, value in arguments.items()}


def recast(built: Built | None, dtype: str) -> Built | None:
    """Return the module in another floating dtype; None stays None."""
    return built and replace(built, state=cast(built.state, dtype), dtype=dtype)


@check("low_precision")
class LowPrecision(CheckKind):
    """In float16 and bfloat16 the function runs, keeps the dtype, stays finite and roughly right.

    A remark without points.
    """

    rung = Rung.REMARKS
    needs_torch = True

    def calls(self, exercise: Exercise, case: DrawnCase) -> Mapping[str, Ask] | None:
        if case.case is not exercise.cases[0] or not any(
            isinstance(v, Tensor) and is_float(v) for v in case.arguments.values()
        ):
            return None
        return {dtype: Ask(cast(case.arguments, dtype), built=recast(case.built, dtype)) for dtype in LOOSE}

    def judge(self, seen: Seen) -> Finding | None:
        for dtype, tolerance in LOOSE.items():
            other = seen.extra.get(dtype)
            if isinstance(other, Observation):
                said = other.fault.text if other.fault else other.verdict.value
                return Finding(message("fails on {dtype} inputs: {said}", dtype=dtype, said=said))
            for name, expected in seen.expected.items():
                got = other.get(name) if isinstance(other, Mapping) else None
                if not isinstance(got, Tensor) or not isinstance(expected, Tensor) or not is_float(expected):
                    continue
                if got.dtype != dtype:
                    return Finding(message("on {dtype} inputs the result is {got}", dtype=dtype, got=got.dtype))
                if got.shape != expected.shape or compare(got, expected, tolerance, tolerance) is not None:
                    return Finding(message("on {dtype} inputs the result is far off, or not finite", dtype=dtype))
        return None


@check("device")
class OnDevice(CheckKind):
    """Results are on the device of the inputs. Skipped where the run is on the CPU. A remark without points."""

    rung = Rung.REMARKS
    needs_torch = True

    def calls(self, exercise: Exercise, case: DrawnCase) -> Mapping[str, Ask] | None:
        return {} if case.case is exercise.cases[0] else None

    def judge(self, seen: Seen) -> Finding | None:
        if seen.device == "cpu":
            return Finding(message("not run: no CUDA device in this run"), Verdict.SKIPPED)
        for name, got in seen.results.items():
            if isinstance(got, Tensor) and got.device.split(":")[0] != seen.device.split(":")[0]:
                return Finding(
                    named(
                        name,
                        message("the result is on {got}, expected {expected}", got=got.device, expected=seen.device),
                    )
                )
        return None
