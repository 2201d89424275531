"""A trusted function in, observations out: what the sandbox would tell, for the author's own code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from grader.model import (
    NUMPY,
    Call,
    Device,
    Fault,
    Isolation,
    Observation,
    Observations,
    Plan,
    ResultOf,
    Submission,
    Tensor,
    Value,
    Verdict,
)
from grader.stages.compute import NoEarlierResult
from grader.stages.ended import unended

torch.set_num_threads(1)  # tiny tensors: a second thread costs more than it gives

_WIDE = (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2)


@dataclass(frozen=True)
class Direct:
    """Runs a function of this process in place of a submission: a reference or its mistakes, never a learner's.

    A module is stood in for by a function of its call's arguments, what it is built from, and `state`.
    """

    function: Callable[..., Any]

    def run(self, plan: Plan, submission: Submission | None = None) -> Observations:
        """Return what the function does in each call of the plan."""
        results: dict[str, Any] = {}
        calls = {call.id: self._call(call, plan, results) for call in plan.calls}
        return Observations(Verdict.PASSED, calls, Isolation("none", (), keeps_answers=False))

    def _call(self, call: Call, plan: Plan, results: dict[str, Any]) -> Observation:
        try:
            arguments = {name: _argument(value, plan, results) for name, value in call.arguments.items()}
            before = {n: a.clone() for n, a in arguments.items() if isinstance(a, torch.Tensor)}
            made = _made(call)
            leaves = [{**made.get("state", {}), **arguments}[name].requires_grad_() for name in call.gradients_of]
            with unended():
                value = _result(self.function, arguments, made, plan.exercise.arrays)
            results[call.id] = value
            gradients = _gradients(value, call, leaves) if call.cotangent else {}
        except NoEarlierResult:
            return Observation(call.id, Verdict.ERRORED, fault=Fault("earlier", bases=("earlier",)))
        except Exception as error:
            bases = tuple(c.__name__ for c in type(error).__mro__)
            return Observation(
                call.id, Verdict.ERRORED, fault=Fault("exception", type(error).__name__, bases, str(error))
            )
        changed = tuple(name for name, tensor in before.items() if not torch.equal(tensor, arguments[name]))
        told = from_torch(value) if call.repeat == 1 else [from_torch(value)] * call.repeat
        return Observation(call.id, Verdict.PASSED, told, changed=changed, gradients=gradients)


def _result(function: Callable[..., Any], arguments: Mapping[str, Any], made: Mapping[str, Any], arrays: str) -> Any:
    """What the function gives; numpy arrays of the same memory stand in for tensors where the course has those."""
    if arrays != NUMPY:
        return function(**arguments, **made)
    given = {name: a.numpy() if isinstance(a, torch.Tensor) else a for name, a in arguments.items()}
    with np.errstate(all="ignore"):
        return _in_torch(function(**given))


def _in_torch(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return torch.from_numpy(np.array(value))
    return tuple(map(_in_torch, value)) if isinstance(value, (tuple, list)) else value


def _argument(value: Value, plan: Plan, results: Mapping[str, Any]) -> Any:
    if not isinstance(value, ResultOf):
        return to_torch(value)
    given = results.get(value.call)
    if value.result:
        place = list(plan.exercise.returns).index(value.result)
        given = given[place] if isinstance(given, (tuple, list)) and place < len(given) else None
    if not isinstance(given, torch.Tensor):
        raise NoEarlierResult
    return given.detach().clone()


def _made(call: Call) -> dict[str, Any]:
    """What a module's reference takes besides the arguments of the call."""
    if call.built is None:
        return {}
    state = {name: to_torch(tensor) for name, tensor in call.built.state.items()}
    return {**{name: to_torch(value) for name, value in call.built.arguments.items()}, "state": state}


def _gradients(value: Any, call: Call, leaves: list[Any]) -> dict[str, Tensor | None]:
    results = [r for r in (value if isinstance(value, (tuple, list)) else [value]) if isinstance(r, torch.Tensor)]
    weights = [to_torch(c) for c in call.cotangent]
    parts = [(r * w).sum() for r, w in zip(results, weights, strict=True) if r.requires_grad]
    if not parts:
        return dict.fromkeys(call.gradients_of)
    found = torch.autograd.grad(sum(parts, torch.zeros(())), leaves, allow_unused=True)
    return {n: None if g is None else from_torch(g) for n, g in zip(call.gradients_of, found, strict=True)}


def to_torch(value: Value) -> Any:
    """Return an argument as a learner's function would get it."""
    if isinstance(value, Tensor):
        return torch.from_numpy(value.array.copy()).to(getattr(torch, value.dtype))
    if isinstance(value, dict):
        return {name: to_torch(item) for name, item in value.items()}
    return torch.device(value.name) if isinstance(value, Device) else value


def from_torch(value: Any) -> Value:
    """Return a result as the sandbox would tell it."""
    if isinstance(value, torch.Tensor):
        dense = value.detach().cpu().contiguous()
        array = (dense.float() if dense.dtype in _WIDE else dense).numpy()
        return Tensor(str(dense.dtype).removeprefix("torch."), array)
    if isinstance(value, (tuple, list)):
        return tuple(from_torch(item) for item in value)
    if isinstance(value, dict):
        return {str(key): from_torch(item) for key, item in value.items()}
    return value
