"""Checks of a submitted module: how it behaves in its two modes and between calls, and how it is made.

How it behaves is judged by calling it. How it is made rests on what the child tells: such a claim takes points where the
prompt demands the structure (`demanded`), and is a remark elsewhere. It never earns any. `names` is the id of the mistake
that a finding is enough to name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from grader.kinds.checks.ladder import ATOL, RTOL, Ask, CheckKind, Finding, Rung, Seen, check
from grader.kinds.numbers import Array, as_float
from grader.model import EVAL, TRAIN, Built, DrawnCase, Exercise, Message, ModuleFacts, Observation, Tensor, message

REPEATS = 256
"""Calls in training mode that an average is taken over."""


class _ModuleCheck(CheckKind):
    """A check that only a module has."""

    names: str = ""

    def _built(self, case: DrawnCase, mode: str, argument: str, rate: float) -> Built | None:
        """The module of the case in a mode, with its dropout rate set; None where there is no module."""
        built = case.built
        if built is None:
            return None
        arguments = {**built.arguments, argument: rate} if argument else built.arguments
        return replace(built, arguments=arguments, mode=mode)

    def _found(self, text: Message) -> Finding:
        return Finding(text, mistakes=(self.names,) if self.names else ())


def _stacked(seen: Seen, variant: str) -> list[Array] | Observation | None:
    """The first result of each repeated call as numbers; the observation where they did not all come back."""
    other = seen.extra.get(variant)
    if not isinstance(other, list):
        return other if isinstance(other, Observation) else None
    firsts = [next(iter(results.values())) for results in other]
    return [as_float(first) for first in firsts if isinstance(first, Tensor)]


@check("same_in_eval")
class SameInEval(_ModuleCheck):
    """In eval mode two equal calls give equal results, whatever the dropout rate: nothing is random there."""

    rung = Rung.PROPERTIES
    argument: str = ""
    rate: float = 0.5

    def calls(self, exercise: Exercise, case: DrawnCase) -> Mapping[str, Ask] | None:
        built = self._built(case, EVAL, self.argument, self.rate)
        return None if built is None else {"": Ask(built=built, repeat=2)}

    def judge(self, seen: Seen) -> Finding | None:
        found = _stacked(seen, "")
        if isinstance(found, Observation) or not found:
            return self._found(message("a second call in eval mode fails"))
        same = all(a.shape == found[0].shape and np.array_equal(a, found[0], equal_nan=True) for a in found)
        return None if same else self._found(message("two equal calls in eval mode give different results"))


@check("dropout_in_training")
class DropoutInTraining(_ModuleCheck):
    """In training mode dropout acts on the weights after softmax: results vary around those of eval mode, and hardly any number is 0."""

    rung = Rung.PROPERTIES
    needs_module = True
    argument: str = "dropout"
    rate: float = 0.5

    def calls(self, exercise: Exercise, case: DrawnCase) -> Mapping[str, Ask] | None:
        if case.case is not exercise.cases[0]:
            return None  # once is enough: many calls are made
        built = self._built(case, TRAIN, self.argument, self.rate)
        off = self._built(case, TRAIN, self.argument, 0.0)
        if built is None or off is None:
            return None
        unsaid = {name: value for name, value in off.arguments.items() if name != self.argument}
        return {
            "": Ask(built=built, repeat=REPEATS),
            "off": Ask(built=off, repeat=2),
            "unsaid": Ask(built=replace(off, arguments=unsaid), repeat=2),  # the default of the signature is 0
        }

    def judge(self, seen: Seen) -> Finding | None:
        return self._varies(seen) or self._off(seen)

    def _off(self, seen: Seen) -> Finding | None:
        """A rate of 0, said or by default, drops nothing."""
        expected = as_float(next(iter(seen.results.values())))
        for variant in ("off", "unsaid"):
            found = _stacked(seen, variant)
            if isinstance(found, Observation) or not found:
                return Finding(message("a call in training mode fails"))
            if not all(a.shape == expected.shape and np.allclose(a, expected, ATOL, RTOL) for a in found):
                rate = message("a rate of 0") if variant == "off" else message("no rate given")
                return Finding(message("in training mode with {rate}, numbers are still dropped", rate=rate))
        return None

    def _varies(self, seen: Seen) -> Finding | None:
        found = _stacked(seen, "")
        if isinstance(found, Observation) or not found:
            return Finding(message("a call in training mode fails"))
        drawn = np.stack(found)  # (REPEATS, …)
        if np.array_equal(drawn.min(0), drawn.max(0)):
            return Finding(message("dropout changes nothing in training mode"))
        expected = as_float(next(iter(seen.results.values())))
        lost = float(((drawn == 0) & (expected != 0)).mean())
        if lost > self.rate / 2:
            return self._found(
                message(
                    "in training mode {percent:.0f} % of the numbers in the result are 0: dropout acts on the result, "
                    "where it belongs on the weights, after softmax",
                    percent=100 * lost,
                )
            )
        error = drawn.std(0) / np.sqrt(len(drawn))
        far = np.abs(drawn.mean(0) - expected) > 6 * error + 1e-4
        if far.mean() > 0.02:
            text = message(
                "in training mode the average over {count} calls is not the result of eval mode: "
                "dropout belongs on the weights, after softmax, and divides what it keeps by 1 - p",
                count=len(drawn),
            )
            return self._found(text)
        return None


@check("no_memory")
class NoMemory(CheckKind):
    """A call after another one, on a shorter sequence, gives what it gives alone: nothing is kept between calls."""

    rung = Rung.PROPERTIES
    axis: str = "T"
    names: str = ""

    def calls(self, exercise: Exercise, case: DrawnCase) -> Mapping[str, Ask] | None:
        length = case.sizes.get(self.axis, 1)
        if length < 2 or not any(self.axis in axes for axes in case.axes.values()):
            return None
        shorter = dict(case.arguments)
        for name, axes in case.axes.items():
            value = case.arguments.get(name)
            if isinstance(value, Tensor) and self.axis in axes:
                cut = tuple(slice(0, length - 1) if axis == self.axis else slice(None) for axis in axes)
                shorter[name] = replace(value, array=np.ascontiguousarray(value.array[cut]))
        return {"": Ask(warm_up=shorter)}

    def judge(self, seen: Seen) -> Finding | None:
        other = seen.extra.get("")
        text = message("after a call on a shorter sequence the same call gives another result, or fails")
        same = isinstance(other, Mapping) and all(
            isinstance(a := other[name], Tensor)
            and a.shape == b.shape
            and np.array_equal(a.array, b.array, equal_nan=True)
            for name, b in seen.results.items()
            if isinstance(b, Tensor)
        )
        return None if same else Finding(text, mistakes=(self.names,) if self.names else ())


class _Claim(_ModuleCheck):
    """A check of how a module is made: what the child tells about it."""

    rung = Rung.PROPERTIES
    needs_module = True
    demanded: bool = False

    @property
    def remark(self) -> bool:
        return not self.demanded

    def calls(self, exercise: Exercise, case: DrawnCase) -> Mapping[str, Ask] | None:
        return {} if case.built is not None and case.case is exercise.cases[0] else None

    def judge(self, seen: Seen) -> Finding | None:
        facts = seen.observation.module
        text = message("nothing is known of how the module is made") if facts is None else self.against(seen, facts)
        return self._found(text) if text else None

    def against(self, seen: Seen, facts: ModuleFacts) -> Message | None:
        """Return what is wrong with how the module is made, or None."""
        raise NotImplementedError


@check("moves_with_module")
class MovesWithModule(_Claim):
    """After `.to("meta")` every tensor of the module is there: masks are buffers, not plain attributes."""

    least: int = 0  # buffers that the prompt asks for

    def against(self, seen: Seen, facts: ModuleFacts) -> Message | None:
        names = ", ".join(f"`{name}`" for name in facts.left_behind)
        if names:
            return message("{names} stays behind when the module moves to another device", names=names)
        if len(facts.buffers) < self.least:
            return message("the module has no buffer: the prompt asks for the mask to be registered as one")
        return None


@check("no_extra_parameters")
class NoExtraParameters(_Claim):
    """The module trains exactly the parameters that the prompt names; buffers are free.

    It speaks before values do: a parameter that nobody loads is random, and makes them wrong.
    """

    rung = Rung.SHAPE

    def against(self, seen: Seen, facts: ModuleFacts) -> Message | None:
        promised = seen.case.built.state if seen.case.built else {}
        names = ", ".join(f"`{name}`" for name in facts.parameters if name not in promised)
        return message("the optimiser would train {names} as well", names=names) if names else None


@check("bools_stay_bool")
class BoolsStayBool(_Claim):
    """After `.half()` every mask buffer still is bool."""

    def against(self, seen: Seen, facts: ModuleFacts) -> Message | None:
        if "bool" in facts.halved.values():
            return None  # the mask is there; further buffers are free
        names = ", ".join(f"`{name}`" for name, dtype in facts.halved.items() if dtype == "float16")
        return (
            message("the buffer {names} turns into float16 with the module: keep masks bool", names=names)
            if names
            else None
        )
