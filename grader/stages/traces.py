"""A result in, its trace out: eight random projections that recognise the result again and are useless to copy.

Two results match when they have the same structure, the same holes (NaN, infinities) and the same projections within a
slack that follows from what is allowed for each element. Mistakes are thousands of times further apart than that in
float64.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from grader.kinds.checks import ATOL, RTOL
from grader.kinds.numbers import Array, as_float, is_float
from grader.model import Observation, Tensor, Trace, Value, Verdict

PROJECTIONS = 8
TIGHT = 1e-9
"""What a float64 result may be off by, absolutely and relatively."""
HUGE = 1e140
"""Numbers beyond it count as it, so that the squares of slacks stay finite."""
SPREAD = 4.0
"""Projections are sums of independent errors: four standard deviations of the largest allowed ones."""


def trace(value: Value, beside: Value = None) -> Trace:
    """Return the trace of a result: a tensor, a number, or a tuple of them.

    `beside` is the same result in float64: where rounding is amplified (a division by almost nothing), its distance widens the slack.
    """
    form, holes, solid, projections = _projected(value)
    steep = np.hypot(1.0, solid)
    tight, loose = (
        SPREAD * float(np.linalg.norm((atol + rtol * np.abs(solid)) / steep))
        for atol, rtol in ((TIGHT, TIGHT), (ATOL, RTOL))
    )
    if beside is not None:
        exact_form, exact_numbers = _flatten(beside)
        if exact_form == form and np.isfinite(exact_numbers).all() and not holes:
            away = np.abs(projections - _directions(len(solid)) @ np.arcsinh(exact_numbers))
            loose = max(loose, 2 * SPREAD * float(away.max()))
    return Trace(form, tuple(projections.tolist()), (tight, loose), holes)


def _projected(value: Value) -> tuple[str, str, Array, Array]:
    """Return structure, holes, numbers with zeros for the holes, and projections."""
    form, solid = _flatten(value)
    finite = np.isfinite(solid)
    holes = ""
    if not finite.all():
        holes = hashlib.sha256(_holes(solid)).hexdigest()[:16]
        solid = np.where(finite, solid, 0.0)
    # asinh: a result that holds -1e9 beside numbers of size 1 must not drown them.
    return form, holes, solid, _directions(len(solid)) @ np.arcsinh(solid)


def raised(type_name: str, text: str) -> Trace:
    """Return the trace of a call that raised. Without a text the class alone decides."""
    first = text.splitlines()[0] if text else ""
    return Trace("", error=f"{type_name}: {first}" if first else type_name)


@dataclass(frozen=True)
class Looked:
    """An observed call, looked at once to be held against many traces. `trace` has no slack of its own; None without a result."""

    observation: Observation
    trace: Trace | None = None
    double: bool = False


def look(observation: Observation) -> Looked:
    """Return what there is to recognise an observed call by."""
    if observation.verdict is not Verdict.PASSED:
        return Looked(observation)
    form, holes, _, projections = _projected(observation.value)
    return Looked(observation, Trace(form, tuple(projections.tolist()), holes=holes), _is_double(observation.value))


def matches(known: Trace, looked: Looked, *, loose: bool = False) -> bool:
    """Whether an observed call did what the trace stands for; if `loose`, as far as lower precision on the way lets one tell.

    An exception must have the same class and, where told, the same text.
    """
    observation = looked.observation
    if observation.verdict is Verdict.ERRORED:
        fault = observation.fault
        if known.error is None or fault is None:
            return False
        name, _, text = known.error.partition(": ")
        if not text:
            return name in (fault.type, *fault.bases)
        hidden = not fault.text and not fault.lines  # of a hidden call the class is all that is told
        return fault.type == name and (hidden or fault.text.splitlines()[:1] == [text])
    if looked.trace is None or known.error is not None:
        return False
    return same(known, looked.trace, loose=loose or not looked.double)


def same(known: Trace, other: Trace, *, loose: bool = False) -> bool:
    """Whether two traces stand for one result, as far as float64 (or, if `loose`, lower precision) can tell."""
    if (known.form, known.holes, known.error) != (other.form, other.holes, other.error):
        return False
    slack = known.slack[loose]
    return all(abs(a - b) <= slack for a, b in zip(known.projections, other.projections, strict=True))


@lru_cache(maxsize=256)
def _directions(length: int) -> Array:
    return np.random.Generator(np.random.PCG64(length)).standard_normal((PROJECTIONS, length))


def _flatten(value: Value) -> tuple[str, Array]:
    """Return the structure of a value, without its precision, and its numbers in one row."""
    if isinstance(value, Tensor):
        kind = "float" if is_float(value) else "bool" if value.dtype == "bool" else "int"
        numbers = as_float(value).reshape(-1)
        flat = np.concatenate([numbers.real, numbers.imag]) if np.iscomplexobj(numbers) else numbers
        return f"{kind}{list(value.shape)}", flat
    if isinstance(value, (tuple, list)):
        parts = [_flatten(item) for item in value]
        return "(" + ",".join(form for form, _ in parts) + ")", np.concatenate([n for _, n in parts] or [np.zeros(0)])
    if isinstance(value, dict):
        parts = [_flatten(item) for item in value.values()]
        form = ",".join(f"{key}:{form}" for key, (form, _) in zip(value, parts, strict=True))
        return "{" + form + "}", np.concatenate([n for _, n in parts] or [np.zeros(0)])
    if isinstance(value, (bool, int, float)):
        return type(value).__name__, np.array([float(value)]) if abs(value) < 2**1000 else np.zeros(1)
    return type(value).__name__ + ":" + str(value)[:100], np.zeros(0)


def _holes(numbers: Array) -> bytes:
    return (
        np.where(np.isnan(numbers), 1, np.where(numbers == np.inf, 2, np.where(numbers == -np.inf, 3, 0)))
        .astype(np.int8)
        .tobytes()
    )


def _is_double(value: Value) -> bool:
    if isinstance(value, Tensor):
        return value.dtype not in ("float32", "float16", "bfloat16") and not value.dtype.startswith("float8")
    if isinstance(value, (tuple, list)):
        return all(_is_double(item) for item in value)
    return True
