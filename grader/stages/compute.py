"""A plan and a reference in, expectations out: each case run right and with each mistake that can show in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from grader.model import TORCH, Call, DrawnCase, Expectations, GraderError, Plan, ResultOf, Tensor, Trace, Value
from grader.stages.ended import unended
from grader.stages.libraries import LIBRARIES, all_given
from grader.stages.plan import call_id
from grader.stages.traces import raised, trace

PRECISIONS = ("float64", "float32")


class NoEarlierResult(Exception):
    """A case takes the result of an earlier one, and there is none: the child tells it as a fault of the kind "earlier"."""


_RAISED = (
    NoEarlierResult,
    ValueError,
    RuntimeError,
    IndexError,
    KeyError,
    TypeError,
    AssertionError,
    AttributeError,
    ZeroDivisionError,
)
"""What a learner's function could raise as well. `NotApplicable` and faults of ours pass through."""


@dataclass(frozen=True)
class Reference:
    """The hidden answers of a course: functions by name, and each mistake as the steps that it replaces."""

    functions: Mapping[str, Callable[..., Any]]
    mistakes: Mapping[str, Mapping[str, Callable[..., Any]]]
    steps: Any
    not_applicable: type[Exception]


def compute(plan: Plan, reference: Reference) -> Expectations:
    """Run the reference on every case, right and with each mistake. What its code raises becomes the cause of a GraderError."""
    try:
        return _computed(plan, reference)
    except GraderError:
        raise
    except Exception as error:
        raise GraderError(f"{plan.exercise.slug}: the reference raised {type(error).__name__}") from error


def _computed(plan: Plan, reference: Reference) -> Expectations:
    try:
        function = reference.functions[plan.exercise.reference]
    except KeyError:
        raise GraderError(f"{plan.exercise.slug}: the reference has no function {plan.exercise.reference!r}") from None
    values = {dtype: run_all(function, plan, reference.steps, dtype) for dtype in PRECISIONS}
    right: dict[str, Value] = {}
    for drawn in plan.cases:
        value = values["float64"][drawn.case.name]
        if drawn.case.raises is None:
            if isinstance(value, Exception):
                # A learner may read this, and the text of the exception is the reference's own: verify adds it, for the author.
                what = f"{plan.exercise.slug}, case {drawn.case.name!r}: the reference raised {type(value).__name__}"
                raise GraderError(what) from value
            right[drawn.case.name] = value
    drawn_by_name = {drawn.case.name: drawn for drawn in plan.cases}
    gradients = {
        call.case: _gradients(function, call, drawn_by_name[call.case], plan, right)
        for call in plan.calls
        if call.gradients_of
    }
    traces: dict[tuple[str, ...], Mapping[str, Trace]] = {(): _traces(plan, values)}
    used = steps_used(function, plan, reference)
    for mistake, steps in reference.mistakes.items():
        if not used.intersection(steps):
            continue
        found = mistaken(function, plan, reference, replace(reference.steps, **steps))
        if found is not None:
            traces[(mistake,)] = found
    return Expectations(right, gradients, traces)


def mistaken(
    function: Callable[..., Any],
    plan: Plan,
    reference: Reference,
    steps: Any,
    precisions: tuple[str, ...] = PRECISIONS,
) -> dict[str, Trace] | None:
    """Trace wrong steps through all cases; None where they have no meaning for this exercise."""
    try:
        return _traces(plan, {dtype: run_all(function, plan, steps, dtype) for dtype in precisions})
    except reference.not_applicable:
        return None


class _Recorder:
    """The right steps, remembering which of them were asked for."""

    def __init__(self, steps: Any):
        self._steps = steps
        self._used: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self._used.add(name)
        return getattr(self._steps, name)


def steps_used(function: Callable[..., Any], plan: Plan, reference: Reference) -> frozenset[str]:
    """Return the steps that the reference takes in these cases: a mistake in any other step cannot show."""
    recorder = _Recorder(reference.steps)
    run_all(function, plan, recorder, "float64")
    return frozenset(recorder._used)


def run_all(function: Callable[..., Any], plan: Plan, steps: Any, dtype: str) -> dict[str, Value]:
    """Return what a reference function gives in each case in one precision, an exception where it raises one.

    Cases run in order: one may take the result of an earlier one.
    """
    library = LIBRARIES[plan.exercise.arrays]
    done: dict[str, Value] = {}
    for drawn in plan.cases:
        try:
            with library.quiet(), unended():
                given = all_given(library, _given(drawn, plan, done), dtype)
                done[drawn.case.name] = library.taken(function(**given, steps=steps))
        except _RAISED as error:
            done[drawn.case.name] = error
    return done


def _given(drawn: DrawnCase, plan: Plan, done: Mapping[str, Value]) -> dict[str, Value]:
    """The arguments of a case: those of the call, and for a module those that it is built from, with its state."""
    given = {name: _resolved(value, plan, done) for name, value in drawn.arguments.items()}
    if drawn.built is not None:
        given |= {**drawn.built.arguments, "state": dict(drawn.built.state)}
    return given


def _resolved(value: Value, plan: Plan, done: Mapping[str, Value]) -> Value:
    if not isinstance(value, ResultOf):
        return value
    given = done[value.call.split("/")[0]]
    if value.result:
        place = list(plan.exercise.returns).index(value.result)
        given = given[place] if isinstance(given, (tuple, list)) and place < len(given) else None
    if not isinstance(given, Tensor):
        raise NoEarlierResult
    return given


def _traces(plan: Plan, values: Mapping[str, Mapping[str, Value]]) -> dict[str, Trace]:
    """Trace the results by call: the float32 call may overflow where the float64 one does not."""
    known = {}
    for drawn in plan.cases:
        name = drawn.case.name
        wide = values["float64"][name]
        known[call_id(name, "diagnosis")] = _trace(wide, drawn)
        if "float32" in values:
            known[call_id(name, "graded")] = _trace(values["float32"][name], drawn, beside=wide)
    return known


def _trace(value: Value, drawn: DrawnCase, beside: Value = None) -> Trace:
    if isinstance(value, NoEarlierResult):
        return raised("earlier", "")
    if isinstance(value, Exception):
        return raised(type(value).__name__, "" if drawn.case.raises else str(value))
    return trace(value, None if isinstance(beside, Exception) else beside)


def _gradients(
    function: Callable[..., Any], call: Call, drawn: DrawnCase, plan: Plan, right: Mapping[str, Value]
) -> dict[str, Tensor]:
    """The gradient of sum(result * cotangent) in float64, by argument or parameter; zeros for one that is not used."""
    import torch

    given = {name: _resolved(value, plan, right) for name, value in drawn.arguments.items()}
    library = LIBRARIES[TORCH]  # nothing else has gradients
    arguments = all_given(library, {**given, **(drawn.built.arguments if drawn.built else {})}, "float64")
    state = all_given(library, drawn.built.state, "float64") if drawn.built else {}
    leaves = [(state if name in state else arguments)[name].requires_grad_() for name in call.gradients_of]
    with unended():
        value = function(**arguments, **({"state": state} if drawn.built else {}))
    results = [r for r in (value if isinstance(value, (tuple, list)) else [value]) if isinstance(r, torch.Tensor)]
    weights = [torch.from_numpy(c.array.copy()).double() for c in call.cotangent]
    if [r.shape for r in results] != [w.shape for w in weights]:
        raise GraderError(f"case {call.case!r}: `returns` does not name the shapes that the reference gives")
    total = sum(((r * w).sum() for r, w in zip(results, weights, strict=True)), torch.zeros(()))
    found = torch.autograd.grad(total, leaves, allow_unused=True)
    return {
        name: Tensor("float64", (torch.zeros_like(leaf) if g is None else g).detach().numpy())
        for name, leaf, g in zip(call.gradients_of, leaves, found, strict=True)
    }
