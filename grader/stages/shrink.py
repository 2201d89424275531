"""Expectations and the reference in, small examples out: for each mistake the smallest inputs found on which it still shows.

A case in which the mistake shows is drawn again with smaller and smaller axes, numbers rounded to halves, until the mistake
and the right answer would be the same. It takes some tiny evaluations a mistake, and always gives the same.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from grader.kinds.numbers import as_float, is_float
from grader.model import (
    Case,
    Device,
    Diagnosis,
    DrawnCase,
    Example,
    Expectations,
    Plan,
    ResultOf,
    Tensor,
    Trace,
    Value,
)
from grader.stages.compute import Reference, run_all
from grader.stages.plan import call_id, plan
from grader.stages.results import named_results
from grader.stages.traces import same

MOST = 40  # numbers in all arguments: more is no small example
SHOWS = 0.02  # by how much results have to differ to be seen in two digits
STEP = 0.5  # what drawn numbers are rounded to, so that a hand can follow them


@dataclass(frozen=True)
class _Wrong:
    """The steps of a mistake. `wild` says that its results are not all finite, whatever the size."""

    steps: Any
    wild: bool


@dataclass
class _Bench:
    """One reference function on shrunk cases of a plan; what is right for a size is worked out once."""

    plan: Plan
    function: Callable[..., Any]
    reference: Reference
    right: dict[tuple[str, tuple[tuple[str, int], ...]], tuple[Plan, Value] | None] = field(default_factory=dict)

    def example(self, drawn: DrawnCase, sizes: Mapping[str, int], wrong: _Wrong) -> Example | None:
        """Return the example of these sizes if the wrong steps show in it."""
        known = self._right(drawn.case, sizes)
        if known is None:
            return None
        small, right = known
        try:
            mistaken = run_all(self.function, small, wrong.steps, "float64")[drawn.case.name]
        except self.reference.not_applicable:
            return None
        return _example(small, right, mistaken, wild=wrong.wild)

    def _right(self, case: Case, sizes: Mapping[str, int]) -> tuple[Plan, Value] | None:
        key = (case.name, tuple(sizes.items()))
        if key not in self.right:
            self.right[key] = self._run_right(case, sizes)
        return self.right[key]

    def _run_right(self, case: Case, sizes: Mapping[str, int]) -> tuple[Plan, Value] | None:
        exercise = replace(self.plan.exercise, cases=(replace(case, sizes=sizes),), checks=())
        try:
            small = _rounded(plan(exercise, seed=self.plan.seed))
        except (ValueError, IndexError, ZeroDivisionError):  # an input that cannot be drawn so small
            return None
        value = run_all(self.function, small, self.reference.steps, "float64")[case.name]
        return None if isinstance(value, Exception) or _numbers(small.cases[0]) > MOST else (small, value)


def examples(plan: Plan, reference: Reference, known: Expectations) -> dict[tuple[str, ...], Example]:
    """Return an example for each mistake that shows in an open case; none of a module, whose state would fill a page."""
    if plan.exercise.builds is not None:
        return {}
    with warnings.catch_warnings():  # torch warns of what only such tiny sizes bring about
        warnings.simplefilter("ignore")
        return _examples(_Bench(plan, reference.functions[plan.exercise.reference], reference), known)


def _examples(bench: _Bench, known: Expectations) -> dict[tuple[str, ...], Example]:
    found, reference = {}, bench.reference
    for ids, traces in known.traces.items():
        if ids == ():
            continue
        steps = replace(reference.steps, **{k: v for name in ids for k, v in reference.mistakes[name].items()})
        wrong = _Wrong(steps, any(trace.holes for trace in traces.values()))
        cases = (drawn for drawn in _simplest(bench.plan) if _shows(traces, known.traces[()], drawn.case.name))
        small = next((example for drawn in cases if (example := _smallest(bench, drawn, wrong))), None)
        if small is not None:
            found[ids] = small
    return found


def example_of(diagnoses: tuple[Diagnosis, ...], known: Expectations) -> Example | None:
    """Return the example of the mistake that is named; none for several at once, which have none."""
    named = [found.mistakes[:1] for found in diagnoses[:1] if found.same or len(found.mistakes) == 1]
    return known.examples.get(named[0]) if named else None


def _simplest(plan: Plan) -> list[DrawnCase]:
    """The open cases that stand alone, those of fewest axes and arguments first."""
    alone = [
        drawn
        for drawn in plan.cases
        if not drawn.case.hidden
        and drawn.case.raises is None
        and not any(isinstance(value, ResultOf) for value in drawn.arguments.values())
    ]
    return sorted(alone, key=lambda drawn: (len(drawn.sizes), len(drawn.arguments)))


def _shows(wrong: Mapping[str, Trace], right: Mapping[str, Trace], case: str) -> bool:
    call = call_id(case, "diagnosis")
    return call in wrong and call in right and wrong[call].error is None and not same(right[call], wrong[call])


def _smallest(bench: _Bench, drawn: DrawnCase, wrong: _Wrong) -> Example | None:
    """Shrink the axes one after the other, as far as the mistake shows; begin with all alike, then with all different."""
    for start, step in ((2, 0), (3, 0), (2, 1), (4, 0)):
        sizes = {axis: min(size, start + step * at) for at, (axis, size) in enumerate(drawn.sizes.items())}
        best = bench.example(drawn, sizes, wrong)
        if best is not None:
            break
    else:
        return None
    for axis in sizes:
        for size in range(1, sizes[axis]):
            smaller = bench.example(drawn, {**sizes, axis: size}, wrong)
            if smaller is not None:
                best, sizes = smaller, {**sizes, axis: size}
                break
    return best


def _rounded(small: Plan) -> Plan:
    (drawn,) = small.cases
    arguments = {name: _to_halves(value) for name, value in drawn.arguments.items()}
    return replace(small, cases=(replace(drawn, arguments=arguments),))


def _to_halves(value: Value) -> Value:
    if not isinstance(value, Tensor) or not is_float(value):
        return value
    return replace(value, array=np.round(value.array / STEP) * STEP + 0.0)


def _numbers(drawn: DrawnCase) -> int:
    return sum(value.array.size for value in drawn.arguments.values() if isinstance(value, Tensor))


def _example(small: Plan, right: Value, wrong: Value, *, wild: bool) -> Example | None:
    """Return the example where both give results of the right form and one of them differs so that it can be seen."""
    expected, got = named_results(small.exercise, right), named_results(small.exercise, wrong)
    if not isinstance(expected, dict) or not isinstance(got, dict):
        return None
    names = list(_seen(got, expected))
    if not names or not (wild or all(map(_finite, got.values()))):
        return None  # a division by zero that only a tiny size brings about would be another mistake
    arguments = {n: value for n, value in small.cases[0].arguments.items() if not isinstance(value, Device)}
    return Example(arguments, {name: got[name] for name in names}, {name: expected[name] for name in names})


def _finite(value: Value) -> bool:
    return not isinstance(value, Tensor) or bool(np.isfinite(as_float(value)).all())


def _seen(got: Mapping[str, Value], expected: Mapping[str, Value]) -> Iterator[str]:
    for name, value in expected.items():
        mine = got[name]
        if not isinstance(value, Tensor) or not isinstance(mine, Tensor):
            if mine != value:
                yield name
        elif mine.shape != value.shape or _apart(mine, value):
            yield name


def _apart(got: Tensor, expected: Tensor) -> bool:
    a, b = as_float(got), as_float(expected)
    with np.errstate(invalid="ignore"):
        return bool((np.isfinite(a) != np.isfinite(b)).any() or np.nanmax(np.abs(a - b), initial=0.0) >= SHOWS)
