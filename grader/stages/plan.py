"""Exercise in, plan out: every call of the learner's function, with its arguments drawn.

Open cases are drawn from the seed. Hidden ones are drawn from the course's secret as well, so that nobody without it
can draw them.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from grader.kinds.axes import is_sized
from grader.kinds.checks import Ask, CheckKind, cast, recast
from grader.kinds.inputs import InputKind
from grader.model import (
    SIZES,
    Built,
    Call,
    Case,
    Device,
    DrawnCase,
    Exercise,
    GraderError,
    Plan,
    ResultOf,
    Tensor,
    Value,
)

Asks = Mapping[str, Ask]

PUBLIC_SECRET = b"attention-grader practice"
"""Stands in where a course names no secret: good for practice, and the report says so."""


def plan(exercise: Exercise, *, seed: int = 0, device: str = "cpu", secret: bytes = PUBLIC_SECRET) -> Plan:
    """Draw every case and return the calls in order: all calls of open cases, then those of hidden ones. Among each, what is
    graded comes first and remarks come last, so that a function that hangs on half precision still gets its points."""
    cases = tuple(_draw(exercise, case, seed, device, secret) for case in exercise.cases)
    asks = {(drawn.case.name, word): ask for drawn in cases for word, ask in _asks(exercise, drawn)}
    turns = [(drawn.case.hidden, turn, call) for drawn in cases for turn, call in _calls(exercise, drawn, asks)]
    calls = tuple(call for _, _, call in sorted(turns, key=lambda entry: entry[:2]))
    return Plan(exercise, cases, calls, seed, device, _number(f"{exercise.slug}|{seed}|rng".encode()) >> 16, asks)


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
    drawn = {name: kind.draw(sizes, rng) for name, kind in inputs.items()}
    arguments = {name: _placed(value, device) for name, value in drawn.items()}
    axes = {name: _axes(kind) for name, kind in inputs.items() if isinstance(arguments[name], Tensor)}
    built = None
    if exercise.builds is not None:
        makes = {name: case.build.get(name, kind) for name, kind in exercise.builds.build.items()}
        loads = {name: case.state.get(name, kind) for name, kind in exercise.builds.state.items()}
        built = Built(
            {name: kind.draw(sizes, rng) for name, kind in makes.items() if name not in case.omit},
            {name: kind.draw(sizes, rng) for name, kind in loads.items()},
        )
        axes |= {name: _axes(kind) for name, kind in loads.items()}
    # An axis without a size in this case is not there: that is how a case drops leading axes.
    returns = {
        name: wanted if wanted == SIZES else tuple(axis for axis in wanted if is_sized(axis, sizes))
        for name, wanted in exercise.returns.items()
    }
    return DrawnCase(case, sizes, arguments, axes, returns, built)


def _placed(value: Value, device: str) -> Value:
    """Fill in what only the plan knows: the device of the run, and which call an earlier result comes from."""
    if isinstance(value, Device):
        return Device(device)
    return replace(value, call=call_id(value.call, "graded")) if isinstance(value, ResultOf) else value


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


def checks_of(exercise: Exercise) -> list[CheckKind]:
    """The checks of an exercise; raise GraderError where one is none."""
    for check in exercise.checks:
        if not isinstance(check, CheckKind):
            raise GraderError(f"{check!r} is no check")
    return [check for check in exercise.checks if isinstance(check, CheckKind)]


def _asks(exercise: Exercise, drawn: DrawnCase) -> Iterator[tuple[str, Asks]]:
    """Yield what each check that applies to a case asks for, after the word of the check."""
    for check in checks_of(exercise):
        asks = None if drawn.case.raises else check.calls(exercise, drawn)
        if asks is not None:
            yield check.word, asks


def _calls(exercise: Exercise, drawn: DrawnCase, asks: Mapping[tuple[str, str], Asks]) -> Iterator[tuple[int, Call]]:
    """Yield the calls of a case, each with its turn: what is graded comes first, remarks last."""
    case = drawn.case
    facts = exercise.builds is not None and case is exercise.cases[0]  # a module is made alike in every case
    graded = Call(
        call_id(case.name, "graded"),
        case.name,
        "graded",
        drawn.arguments,
        hidden=case.hidden,
        built=drawn.built,
        facts=facts,
    )
    yield 0, graded
    if case.raises is not None:
        return
    if drawn.axes:
        # In float64 two mistakes that are close in float32 are far apart.
        arguments, built = _in_float64(drawn)
        diagnosis = call_id(case.name, "diagnosis")
        yield 2, replace(graded, id=diagnosis, purpose="diagnosis", arguments=arguments, built=built, facts=False)
    for check in checks_of(exercise):
        for variant, ask in asks.get((case.name, check.word), {}).items():
            yield (3 if check.remark else 1), _asked(graded, check.word, variant, ask)


def _asked(graded: Call, word: str, variant: str, ask: Ask) -> Call:
    """The further call that a check asks for: what it leaves open is as in the graded call."""
    return replace(
        graded,
        id=call_id(graded.case, word, variant),
        purpose=word,
        variant=variant,
        arguments=graded.arguments if ask.arguments is None else ask.arguments,
        gradients_of=ask.gradients_of,
        cotangent=ask.cotangent,
        built=graded.built if ask.built is None else ask.built,
        warm_up=ask.warm_up,
        repeat=ask.repeat,
        facts=False,
    )


def _in_float64(drawn: DrawnCase) -> tuple[dict[str, Value], Built | None]:
    arguments = {
        name: replace(value, call=value.call.removesuffix("graded") + "diagnosis")
        if isinstance(value, ResultOf)
        else value
        for name, value in cast(drawn.arguments, "float64").items()
    }
    return arguments, recast(drawn.built, "float64")
