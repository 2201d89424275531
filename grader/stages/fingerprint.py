"""Weights that fit no known mistake in, facts about them out: row and column sums, forbidden keys, the slope against the scores.

The logarithm of a softmax weight is its score plus a constant of the row, so the slope of log-weight against q·k is the factor that the
scores were scaled with, whatever else went wrong. Where no result is the weights, a case whose values are the identity shows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from grader.kinds.numbers import Array, as_float, short
from grader.model import DrawnCase, Fingerprint, Message, Observations, Plan, Tensor, Verdict, message
from grader.stages.faults import in_case
from grader.stages.plan import call_id
from grader.stages.results import named_results

CLOSE = 1e-3


@dataclass(frozen=True)
class _Shown:
    """The weights of one case (…, n_q, n_k), with the raw scores and what may be attended to, where they are known."""

    weights: Array
    scores: Array | None
    allowed: Array | None
    d_k: int


def facts(plan: Plan, observations: Observations, cases: Sequence[str]) -> tuple[Message, ...]:
    """Return what the weights say in the first of these open cases that shows them; nothing where the exercise names no weights.

    Where that is not the first one, which is the one that is told of, its name is said.
    """
    roles = plan.exercise.fingerprint
    if roles is None or observations.verdict is not Verdict.PASSED:
        return ()
    drawn_by_name = {drawn.case.name: drawn for drawn in plan.cases}
    for name in cases:
        shown = _shown(plan, drawn_by_name[name], observations, roles)
        if shown is not None:
            return tuple(fact if name == cases[0] else in_case(plan.exercise, name, fact) for fact in _facts(shown))
    return ()


def _shown(plan: Plan, drawn: DrawnCase, observations: Observations, roles: Fingerprint) -> _Shown | None:
    seen = observations.calls.get(call_id(drawn.case.name, "graded"))
    found = named_results(plan.exercise, seen.value) if seen is not None and seen.verdict is Verdict.PASSED else None
    if not isinstance(found, dict):
        return None
    weights = found.get(roles.weights)
    value = drawn.arguments.get(roles.value)
    if not roles.weights_are_returned and not _is_identity(value):
        return None
    query, key = drawn.arguments.get(roles.query), drawn.arguments.get(roles.key)
    if not isinstance(weights, Tensor) or not isinstance(query, Tensor) or not isinstance(key, Tensor):
        return None
    scores = as_float(query) @ np.swapaxes(as_float(key), -1, -2)
    if weights.shape != scores.shape:
        return None
    mask = drawn.arguments.get(roles.mask)
    allowed = np.broadcast_to(mask.array, scores.shape) if isinstance(mask, Tensor) and mask.dtype == "bool" else None
    return _Shown(as_float(weights), scores, allowed, query.shape[-1])


def _is_identity(value: object) -> bool:
    if not isinstance(value, Tensor) or value.array.ndim < 2:
        return False
    return bool((value.array == np.eye(value.shape[-2], value.shape[-1])).all())


def _facts(shown: _Shown) -> Iterator[Message]:
    weights = shown.weights
    if not np.isfinite(weights).all():
        yield message("Some of your weights are not numbers.")
        return
    rows, columns = weights.sum(-1), weights.sum(-2)
    if np.abs(rows - 1).max() <= CLOSE:
        yield message("Each row of your weights adds up to 1, as it should.")
    else:
        low, high = short(float(rows.min())), short(float(rows.max()))
        if low == high:
            yield message("Each row of your weights adds up to {low}; it should add up to 1.", low=low)
        else:
            yield message(
                "The rows of your weights add up to between {low} and {high}; each should add up to 1.",
                low=low,
                high=high,
            )
        if np.abs(columns - 1).max() <= CLOSE:
            yield message("Each column adds up to 1: the keys hand out 1, not the queries.")
    if weights.min() < -CLOSE:
        yield message("Some weights are negative, the lowest is {low}.", low=short(float(weights.min())))
    if shown.allowed is not None:
        yield from _leak(weights, shown.allowed)
    yield from _slope(shown)


def _leak(weights: Array, allowed: Array) -> Iterator[Message]:
    leak = float(np.abs(np.where(allowed, 0, weights)).max())
    if leak <= 1e-6:
        yield message("Forbidden keys get no weight, as it should be.")
    else:
        yield message("Forbidden keys get weight, up to {most}.", most=short(leak))


def _slope(shown: _Shown) -> Iterator[Message]:
    """The slope of log-weight against q·k within rows, as a multiple of 1/√d_k; nothing where the weights are no function of it."""
    if shown.scores is None:
        return
    usable = shown.weights > 1e-9
    if shown.allowed is not None:
        usable &= shown.allowed
    slopes = []
    rows = zip(*(part.reshape(-1, part.shape[-1]) for part in (shown.weights, shown.scores, usable)), strict=True)
    for weights, scores, use in rows:
        if use.sum() >= 3 and np.ptp(scores[use]) > 0.1:
            slope, offset = np.polyfit(scores[use], np.log(weights[use]), 1)
            off = np.abs(np.log(weights[use]) - slope * scores[use] - offset).max()
            slopes.append((float(slope), float(off)))
    if not slopes or max(off for _, off in slopes) > 0.05 or np.ptp([s for s, _ in slopes]) > 0.05:
        if slopes:
            yield message("Within a row your weights are no softmax of the scores q·k, scaled in whatever way.")
        return
    ratio = float(np.mean([s for s, _ in slopes])) * float(np.sqrt(shown.d_k))
    if abs(ratio - 1) <= 0.01:
        yield message("Within a row your weights follow the scores as they should: the scale is right.")
    else:
        yield message(
            "Within a row your weights follow the scores {ratio} times as sharply as they should (√d_k is {root} here).",
            ratio=short(ratio, 2),
            root=short(float(np.sqrt(shown.d_k)), 2),
        )
