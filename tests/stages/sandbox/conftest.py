"""Plans built by hand, and one open sandbox for each level."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from grader.model import Call, Exercise, Limits, Observations, Parameter, Plan, Signature, Submission, Tensor
from grader.stages.sandbox import Sandbox, open_sandbox

LIMITS = Limits(import_seconds=1.5, call_seconds=1.0, total_seconds=8.0, memory_mb=512, printed_kb=4, wall_factor=3.0)


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


@pytest.fixture(scope="session", params=["best", "none"])
def level(request: pytest.FixtureRequest) -> str:
    """Each level that this machine has; `best` has to mean something on Linux, or the tests prove nothing."""
    return str(request.param)


@pytest.fixture(scope="session")
def sandbox(level: str) -> Iterator[Sandbox]:
    with open_sandbox(level) as opened:
        if level == "best" and sys.platform == "linux":
            assert opened.isolation.keeps_answers, opened.isolation
        yield opened


@pytest.fixture
def run(sandbox: Sandbox) -> Callable[..., Observations]:
    """Run source text against calls: `run("def f(x): ...", call("one", x=1))`."""

    def run_source(source: str | bytes, *calls: Call, **about: Any) -> Observations:
        data = source.encode() if isinstance(source, str) else source
        return sandbox.run(plan(*calls, **about), Submission("work/f.py", "f", data))

    return run_source
