"""An exercise and a wrong form of its reference in, a verdict out: caught by the exercise, equal to the reference, or neither."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from grader.author.direct import Direct
from grader.author.excess import excess
from grader.author.mutate.edits import Mutant, Stillborn
from grader.author.mutate.fresh import Fresh, fresh_cases
from grader.kinds.checks import CheckKind
from grader.model import (
    Exercise,
    Expectations,
    GraderError,
    Message,
    Observations,
    Outcome,
    Plan,
    ResultOf,
    Verdict,
)
from grader.stages.compare import compare
from grader.stages.compute import Reference, compute
from grader.stages.plan import call_id, plan

CAUGHT, EQUAL, PASSES, NONE = "caught", "equal", "passes", "none"
"""A wrong form loses points; gives what the reference gives wherever that was tried; does neither; is no code at all."""

Answer = TypeVar("Answer")

MARGIN = 10
"""A wrong form is told from a right one with more rounding by missing what is allowed by this factor."""

ROUNDING = 0.5
"""What the reference itself may use of what is allowed, where a case is to tell right from wrong."""

DIRECT = frozenset({"shape", "dtype", "finite", "values", "inputs_unchanged", "gradients"})
"""The checks of fresh cases: properties follow from values. Gradients are compared where numbers are of ordinary size:
elsewhere rounding alone takes them too far apart."""


@dataclass(frozen=True)
class Shown:
    """Where a wrong form differs that no case catches: a case, what is said of it, and in how many of how many it shows.

    `catches`: whether the case does so in the exercise too, where its numbers are drawn from the exercise's own seed.
    """

    fresh: Fresh
    what: Message
    differs: int
    of: int
    catches: bool = False


@dataclass(frozen=True)
class _Tried:
    """One run of a function: calls, and what is expected of them."""

    plan: Plan
    expected: Expectations
    fresh: Fresh | None = None


@dataclass(frozen=True)
class Bench:
    """The cases of an exercise, and fresh ones that the reference itself passes with room to spare."""

    exercise: Exercise
    reference: Reference
    own: tuple[_Tried, ...]
    fresh: tuple[_Tried, ...]
    seed: int
    added: dict[str, _Tried | None] = field(default_factory=dict)  # fresh cases as the exercise would draw them

    def judge(self, mutant: Mutant) -> tuple[str, Shown | None]:
        """Return the verdict on a wrong form, and for one that passes where it shows."""
        try:
            if self._under(mutant, lambda function: any(self._failed(function, tried) for tried in self.own)):
                return CAUGHT, None
            shows = self._under(mutant, self._shows)
        except Stillborn:
            return NONE, None
        if not shows:
            return EQUAL, None
        closing = next((fresh for fresh, _ in shows if self._closes(mutant, fresh)), None)
        fresh, told = next(pair for pair in shows if closing in (None, pair[0]))
        what = Message("{check}: {text}", {"check": told.check, "text": told.message or told.verdict.value})
        return PASSES, Shown(fresh, what, len(shows), len(self.fresh), closing is not None)

    def _under(self, mutant: Mutant, ask: Callable[[Callable[..., Any]], Answer]) -> Answer:
        """What a question has for an answer while a wrong form stands in the place of the right one."""
        undo = mutant.put()
        try:
            return ask(self._function(mutant))
        finally:
            undo()

    def _function(self, mutant: Mutant) -> Callable[..., Any]:
        function = self.reference.functions[self.exercise.reference]
        if mutant.steps is None:
            return function
        return partial(function, steps=replace(self.reference.steps, **mutant.steps))

    def _shows(self, function: Callable[..., Any]) -> list[tuple[Fresh, Outcome]]:
        """The fresh cases in which a function differs."""
        found = ((tried.fresh, self._differs(function, tried)) for tried in self.fresh)
        return [(fresh, told) for fresh, told in found if fresh and told]

    def _closes(self, mutant: Mutant, fresh: Fresh) -> bool:
        """Whether a wrong form fails a case once it stands in the file. What is right there is computed before the form is put."""
        if fresh.case.name not in self.added:
            self.added[fresh.case.name] = _as_added(fresh, self.exercise, self.reference, self.seed)
        tried = self.added[fresh.case.name]
        return tried is not None and self._under(mutant, lambda function: self._failed(function, tried)) is not None

    def _failed(self, function: Callable[..., Any], tried: _Tried) -> Outcome | None:
        observed = Direct(function).run(tried.plan)
        _check_meaning(observed, self.reference)
        return _first_failed(tried, observed)

    def _differs(self, function: Callable[..., Any], tried: _Tried) -> Outcome | None:
        """What fails in a fresh case; values have to be off by far, so that a little more rounding does not count."""
        observed = Direct(function).run(tried.plan)
        failed = _first_failed(tried, observed)
        if failed is None or failed.check != "values":
            return failed
        return failed if _excess(tried, observed) >= MARGIN else None


def bench(exercise: Exercise, reference: Reference, folder: Path, seed: int) -> Bench:
    """Return what wrong forms of an exercise's reference are tried on; raise GraderError where that fails by itself.

    `folder` is where the reference's source lies: an exception raised there is what it is meant to do.
    """
    judged = scored(exercise)
    lone = replace(reference, mistakes={})
    planned = _graded(plan(judged, seed=seed))
    whole = _Tried(planned, compute(planned, lone))
    own = tuple(_case_by_case(whole))
    function = reference.functions[exercise.reference]
    for tried in own:
        failed = _first_failed(tried, Direct(function).run(tried.plan))
        if failed:
            raise GraderError(
                f"{exercise.slug}: the reference itself fails {failed.check} in case {failed.case!r}: run author verify"
            )
    found = (_tried(fresh, judged, lone, folder) for fresh in fresh_cases(exercise, seed))
    return Bench(judged, reference, own, tuple(tried for tried in found if tried), seed)


def scored(exercise: Exercise) -> Exercise:
    """Return the exercise with the checks alone that cost points and that a function can pass or fail."""
    checks = tuple(c for c in exercise.checks if isinstance(c, CheckKind) and not c.remark and not c.needs_module)
    return replace(exercise, checks=checks)


def _graded(planned: Plan) -> Plan:
    """The plan without the calls that only tell mistakes apart."""
    return replace(planned, calls=tuple(call for call in planned.calls if call.purpose != "diagnosis"))


def _case_by_case(whole: _Tried) -> Iterator[_Tried]:
    """One run a case, so that the first failure is the last call; all in one where a case takes an earlier one's result."""
    if any(isinstance(value, ResultOf) for call in whole.plan.calls for value in call.arguments.values()):
        yield whole
        return
    for drawn in whole.plan.cases:
        calls = tuple(call for call in whole.plan.calls if call.case == drawn.case.name)
        yield _Tried(replace(whole.plan, cases=(drawn,), calls=calls), whole.expected)


def _tried(fresh: Fresh, exercise: Exercise, reference: Reference, folder: Path) -> _Tried | None:
    """A fresh case with what the reference gives there; None where that is nothing, or no firm ground."""
    made = _computed(fresh, exercise, reference, folder)
    if made is None:
        return None
    observed = Direct(reference.functions[exercise.reference]).run(made.plan)
    if _first_failed(made, observed) or _excess(made, observed) > ROUNDING:
        return None
    return made


def _as_added(fresh: Fresh, exercise: Exercise, reference: Reference, seed: int) -> _Tried | None:
    """A fresh case as all checks of the exercise would run it; None where the reference fails it."""
    lone = replace(reference, mistakes={})
    try:
        planned = _graded(plan(replace(exercise, cases=(fresh.case,)), seed=seed))
        made = _Tried(planned, compute(planned, lone), fresh)
    except (GraderError, KeyError, ValueError, IndexError, ZeroDivisionError, RuntimeError, TypeError):
        return None  # drawn like this, it cannot be computed
    observed = Direct(lone.functions[exercise.reference]).run(made.plan)
    return None if _first_failed(made, observed) or _excess(made, observed) > ROUNDING else made


def _computed(fresh: Fresh, exercise: Exercise, reference: Reference, folder: Path) -> _Tried | None:
    words = DIRECT if fresh.ordinary else DIRECT - {"gradients"}
    checks = tuple(check for check in exercise.checks if check.word in words)
    try:
        planned = _graded(plan(replace(exercise, cases=(fresh.case,), checks=checks), seed=fresh.seed))
        return _Tried(planned, compute(planned, reference), fresh)
    except GraderError as error:
        refused = error.__cause__
        if fresh.case.raises or not isinstance(refused, ValueError) or not _raised_in(refused, folder):
            return None
        return _computed(replace(fresh, case=replace(fresh.case, raises="ValueError")), exercise, reference, folder)
    except (KeyError, ValueError, IndexError, ZeroDivisionError, RuntimeError, TypeError):
        return None  # sizes or kinds that do not go together: the case cannot even be drawn


def _raised_in(error: BaseException, folder: Path) -> bool:
    """Whether the last frame of an exception is the reference's own, not torch's."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and folder in Path(trace.tb_frame.f_code.co_filename).parents


def _first_failed(tried: _Tried, observed: Observations) -> Outcome | None:
    outcomes = compare(tried.plan, observed, tried.expected)
    fine = (Verdict.PASSED, Verdict.SKIPPED)
    return next((o for o in outcomes if not o.remark and o.verdict not in fine), None)


def _excess(tried: _Tried, observed: Observations) -> float:
    right: Mapping[str, Any] = tried.expected.right
    calls = {case: observed.calls[call_id(case, "graded")] for case in right}
    return max((excess(tried.plan.exercise, calls[case].value, right[case]) for case in right), default=0.0)


def _check_meaning(observed: Observations, reference: Reference) -> None:
    """Raise Stillborn where a known mistake has no meaning for this exercise."""
    name = reference.not_applicable.__name__
    if any(o.fault and o.fault.type == name for o in observed.calls.values()):
        raise Stillborn
