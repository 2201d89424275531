"""Plans built by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.model import Call, Exercise, Limits, Parameter, Plan, Signature, Tensor

LIMITS = Limits(import_seconds=1.5, call_seconds=1.0, total_seconds=8.0, memory_mb=512, printed_kb=4, wall_factor=10.0)


def random_tensor(*shape: int, seed: int = 0) -> Tensor:
    return Tensor("float32", np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def exercise(signature: str, limits: Limits = LIMITS) -> Exercise:
    name, _, rest = signature.partition("(")
    parts = [part.strip().partition("=") for part in rest.rstrip(")").split(",") if part.strip()]
    parameters = tuple(Parameter(n, default or None) for n, _, default in parts)
    return Exercise(
        slug=name,
        title={},
        points=1,
        prompt={},
        signature=Signature(name, parameters),
        reference=name,
        inputs={},
        returns={"": ()},
        cases=(),
        checks=(),
        catches=(),
        limits=limits,
    )


def plan(*calls: Call, signature: str = "f(x)", limits: Limits = LIMITS) -> Plan:
    return Plan(exercise=exercise(signature, limits), cases=(), calls=calls, seed=0, device="cpu", rng_seed=7)


def call(name: str, hidden: bool = False, **arguments: Any) -> Call:
    return Call(name, "case", "graded", arguments, hidden=hidden)
