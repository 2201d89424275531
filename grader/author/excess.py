"""A result and the right one in, how far apart they are out: as a multiple of what is allowed."""

from __future__ import annotations

import numpy as np

from grader.kinds.checks import ATOL, RTOL
from grader.kinds.numbers import as_float, is_float
from grader.model import Exercise, Message, Tensor
from grader.stages.results import named_results


def excess(exercise: Exercise, got: object, expected: object) -> float:
    """Return the largest difference as a multiple of what is allowed; infinite where the kind, shape or dtype is another."""
    results, wanted = named_results(exercise, got), named_results(exercise, expected)
    if isinstance(wanted, Message):
        return 0.0
    if isinstance(results, Message):
        return float("inf")
    worst = 0.0
    for name, right in wanted.items():
        value = results[name]
        if not isinstance(right, Tensor):
            worst = max(worst, 0.0 if value == right else float("inf"))
        elif value.shape != right.shape or is_float(value) != is_float(right):
            return float("inf")
        else:
            allowed = ATOL + RTOL * np.abs(as_float(right)) if is_float(right) else np.full(right.shape, 1e-9)
            with np.errstate(invalid="ignore"):
                ratio = np.abs(as_float(value) - as_float(right)) / allowed
            ratio = np.where(np.isnan(ratio) & (as_float(value) == as_float(right)), 0.0, ratio)
            worst = max(worst, float(np.nan_to_num(ratio, nan=np.inf, posinf=np.inf).max(initial=0.0)))
    return worst
