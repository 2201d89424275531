"""Exercise in, plan out: every call of the learner's function, with its arguments drawn.

Open cases are drawn from the seed. Hidden ones are drawn from the course's secret as well, so that nobody without it
can draw them.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator

import numpy as np

from grader.kinds.axes import is_sized
from grader.kinds.checks import CheckKind, cast
from grader.kinds.inputs import InputKind
from grader.kinds.numbers import is_float
from grader.model import SIZES, Call, Case, Device, DrawnCase, Exercise, GraderError, Plan, Tensor

PUBLIC_SECRET = b"attention-grader practice"
"""Stands in where a course names no secret: good for practice, and the report says so."""


def plan(exercise: Exercise, *, seed: int = 0, device: str = "cpu", secret: bytes = PUBLIC_SECRET) -> Plan:
    """Draw every case and return the calls in order: all calls of open cases, then those of hidden ones."""
    cases = tuple(_draw(exercise, case, seed, device, secret) for case in exercise.cases)
    ordered = sorted(cases, key=lambda drawn: drawn.case.hidden)
    calls = tuple(call for drawn in ordered for call in _calls(exercise, drawn))
    return Plan(exercise, cases, calls, seed, device, _number(f"{exercise.slug}|{seed}|rng".encode()) >> 16)


def call_id(case: str, purpose: str, variant: str = "") -> str:
    """The id of a call: `case/purpose/variant`."""
    return "/".join(part for part in (case, purpose, variant) if part)


def _number(data: bytes, secret: bytes | None = None) -> int:
    digest = hmac.new(secret, data, "sha256") if secret is not None else hashlib.sha256(data)
    return int.from_bytes(digest.digest()[:8], "little")


def _draw(exercise: Exercise, case: Case, seed: int, device: str, secret: bytes) -> DrawnCase:
    label = f"{exercise.slug}|{seed}|{case.name}".encode()
    rng = np.random.Generator(np.random.PCG64(_number(label, secret if case.hidden else None)))
    sizes = _sizes(case, rng)
    inputs = {name: case.inputs.get(name, kind) for name, kind in exercise.inputs.items() if name not in case.omit}
    arguments = {name: kind.draw(sizes, rng) for name, kind in inputs.items()}
    arguments = {name: Device(device) if isinstance(value, Device) else value for name, value in arguments.items()}
    axes = {name: _axes(kind) for name, kind in inputs.items() if isinstance(arguments[name], Tensor)}
    # An axis without a size in this case is not there: that is how a case drops leading axes.
    returns = {
        name: wanted if wanted == SIZES else tuple(axis for axis in wanted if is_sized(axis, sizes))
        for name, wanted in exercise.returns.items()
    }
    return DrawnCase(case, sizes, arguments, axes, returns)


def _axes(kind: object) -> tuple[str | int, ...]:
    return kind.shape_axes if isinstance(kind, InputKind) else ()


def _sizes(case: Case, rng: np.random.Generator) -> dict[str, int]:
    """Give each axis its number. Drawn ones avoid numbers that are taken, so that axes stay apart."""
    sizes = {axis: size for axis, size in case.sizes.items() if isinstance(size, int)}
    for axis, size in case.sizes.items():
        if not isinstance(size, int):
            low, high = size
            free = [n for n in range(low, high + 1) if n not in sizes.values()] or list(range(low, high + 1))
            sizes[axis] = int(free[int(rng.integers(len(free)))])
    return sizes


def _calls(exercise: Exercise, drawn: DrawnCase) -> Iterator[Call]:
    case = drawn.case
    floats = any(isinstance(v, Tensor) and is_float(v) for v in drawn.arguments.values())
    yield Call(call_id(case.name, "graded"), case.name, "graded", drawn.arguments, hidden=case.hidden)
    if floats and case.raises is None:
        # In float64 two mistakes that are close in float32 are far apart.
        yield Call(
            call_id(case.name, "diagnosis"),
            case.name,
            "diagnosis",
            cast(drawn.arguments, "float64"),
            hidden=case.hidden,
        )
    if case.raises is not None:
        return
    for check in exercise.checks:
        if not isinstance(check, CheckKind):
            raise GraderError(f"{check!r} is no check")
        for variant, ask in (check.calls(exercise, drawn) or {}).items():
            yield Call(
                call_id(case.name, check.word, variant), case.name, check.word, ask.arguments, variant, case.hidden,
                ask.cotangent, ask.gradients_of,
            )  # fmt: skip
