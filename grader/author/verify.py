"""A course in, proofs out: what shows that each exercise and quiz does what its file promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from grader.author.baselines import BASELINES, Baseline
from grader.author.direct import Direct
from grader.author.proof import Proof
from grader.author.quizzes import caller, verify_quiz
from grader.grade import Runner
from grader.kinds.checks import ATOL, RTOL, CheckKind
from grader.kinds.numbers import as_float, is_float
from grader.model import (
    Course,
    Diagnosis,
    Exercise,
    Expectations,
    GraderError,
    Message,
    Mistake,
    Outcome,
    Plan,
    Submission,
    Tensor,
    Verdict,
    message,
)
from grader.stages.compare import compare
from grader.stages.compute import Reference, compute
from grader.stages.diagnose import diagnose
from grader.stages.expect import load_reference
from grader.stages.plan import call_id, plan
from grader.stages.results import named_results

SEEDS = 200
"""How many seeds the reference's own rounding is measured over."""
MARGIN = 10
"""A mistake misses what is allowed by this factor in some case."""


@dataclass(frozen=True)
class _Workbench:
    """An exercise with all that its proofs share: plan, expectations, reference."""

    exercise: Exercise
    plan: Plan
    expectations: Expectations
    reference: Reference
    mistakes: Mapping[str, Mistake]

    def grade(self, runner: Runner) -> tuple[tuple[Outcome, ...], tuple[Diagnosis, ...]]:
        observed = runner.run(self.plan, Submission("", self.exercise.slug))
        outcomes = compare(self.plan, observed, self.expectations)
        return outcomes, diagnose(self.plan, observed, self.expectations, self.mistakes, outcomes)

    def wrong(self, mistake: str) -> Callable[..., Any]:
        steps = replace(self.reference.steps, **self.reference.mistakes[mistake])
        return partial(self.reference.functions[self.exercise.reference], steps=steps)


def verify(course: Course, mistakes: Mapping[str, Mistake], slugs: tuple[str, ...] = ()) -> Iterator[Proof]:
    """Yield the proofs of each exercise and quiz (of those named, or all). A broken reference is a proof that does not hold."""
    reference = load_reference(Path(course.root))
    for slug, exercise in course.exercises.items():
        if slugs and slug not in slugs:
            continue
        judged = replace(exercise, checks=tuple(c for c in exercise.checks if c not in _for_modules(exercise)))
        try:
            planned = plan(judged)
            bench = _Workbench(judged, planned, compute(planned, reference), reference, mistakes)
        except GraderError as error:
            what = ": ".join(str(told) for told in (error, error.__cause__) if told)
            yield Proof(slug, message("the reference runs"), False, message("{what}", what=what))
            continue
        for prove in PROOFS:
            yield from prove(bench)
        yield from _left_to_samples(exercise, reference)
    for slug, quiz in course.quizzes.items():
        if not slugs or slug in slugs:
            yield from verify_quiz(quiz, caller(reference), Path(course.root))


def _for_modules(exercise: Exercise) -> tuple[CheckKind, ...]:
    """The checks that only a real module can pass or fail: the reference is a function."""
    return tuple(c for c in exercise.checks if isinstance(c, CheckKind) and c.needs_module)


def _left_to_samples(exercise: Exercise, reference: Reference) -> Iterator[Proof]:
    ids = [mistake for group in exercise.catches for mistake in group if reference.mistakes.get(mistake) == {}]
    words = ", ".join([*(check.word for check in _for_modules(exercise)), *ids])
    if words:
        yield Proof(exercise.slug, message("left to samples of modules, right and wrong: {words}", words=words), True)


def _reference_passes(bench: _Workbench) -> Iterator[Proof]:
    function = bench.reference.functions[bench.exercise.reference]
    outcomes, _ = bench.grade(Direct(function))
    bad = [o for o in outcomes if o.verdict not in (Verdict.PASSED, Verdict.SKIPPED)]
    first = bad[0] if bad else None
    why = first and message(
        "case {case}, {check}: {text}", case=first.case, check=first.check, text=first.message or first.verdict.value
    )
    yield Proof(bench.exercise.slug, message("the reference passes every check"), not bad, why or None)


def _stub(**arguments: Any) -> None:
    raise NotImplementedError


def _nothing_for_nothing(bench: _Workbench) -> Iterator[Proof]:
    runners: dict[str, Runner] = {"the starter": Direct(_stub)}
    runners |= {name: Baseline(maker, bench.expectations) for name, maker in BASELINES.items()}
    paid = []
    for name, runner in runners.items():
        outcomes, _ = bench.grade(runner)
        paid += [f"{name}: {o.case}" for o in outcomes if o.points > 0]
    why = message("these earn points: {names}", names="; ".join(paid)) if paid else None
    yield Proof(bench.exercise.slug, message("the starter and trivial answers score 0"), not paid, why)


def _sizes_apart(bench: _Workbench) -> Iterator[Proof]:
    apart = any(len(set(d.sizes.values())) == len(d.sizes) and not d.case.hidden for d in bench.plan.cases)
    why = None if apart else message("give one open case sizes that are all different")
    yield Proof(bench.exercise.slug, message("some open case has all sizes different"), apart, why)


def _catches(bench: _Workbench) -> Iterator[Proof]:
    for group in bench.exercise.catches:
        for mistake in group:
            if bench.reference.mistakes.get(mistake) == {}:
                continue  # without a step: it shows in samples alone
            why = _caught(bench, mistake, group)
            yield Proof(bench.exercise.slug, message("catches and names {mistake}", mistake=mistake), why is None, why)


def _caught(bench: _Workbench, mistake: str, group: tuple[str, ...]) -> Message | None:
    if mistake not in bench.reference.mistakes:
        return message("the reference has no mistake of this name")
    if (mistake,) not in bench.expectations.traces:
        return message("it has no meaning for this exercise")
    outcomes, diagnoses = bench.grade(Direct(bench.wrong(mistake)))
    lost = [o for o in outcomes if o.max_points > 0 and o.points == 0]
    if not lost:
        return message("it gets full marks")
    if all(o.hidden for o in lost):
        return message("only hidden cases show it")
    named = {name for diagnosis in diagnoses for name in diagnosis.mistakes}
    if mistake not in named:
        return message("it is not named")
    promised = {name for others in bench.exercise.catches for name in others}
    if named & promised != set(group):
        return message(
            "it is the same function here as {others}: declare them as one group",
            others=", ".join(sorted((named & promised) - {mistake})) or "—",
        )
    if not _misses_by_far(bench, mistake, lost):
        return message("its values miss what is allowed by less than {margin} times", margin=MARGIN)
    return None


def _misses_by_far(bench: _Workbench, mistake: str, lost: list[Outcome]) -> bool:
    """Whether some case is off by MARGIN times what is allowed, or fails on a rung where nothing is measured."""
    if any(outcome.check != "values" for outcome in lost):
        return True
    observed = Direct(bench.wrong(mistake)).run(bench.plan)
    return any(
        _excess(bench.exercise, observed.calls[call_id(o.case, "graded")].value, bench.expectations.right[o.case])
        >= MARGIN
        for o in lost
    )


def _excess(exercise: Exercise, got: object, expected: object) -> float:
    """The largest difference as a multiple of what is allowed; infinite where the kind, shape or dtype is another."""
    import numpy as np

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


def _rounding(bench: _Workbench) -> Iterator[Proof]:
    """The reference in float32 stays within half of what is allowed, over many seeds."""
    function = bench.reference.functions[bench.exercise.reference]
    only = replace(bench.exercise, checks=())
    lone = replace(bench.reference, mistakes={})
    worst = 0.0
    for seed in range(SEEDS):
        planned = plan(only, seed=seed)
        expected, observed = compute(planned, lone), Direct(function).run(planned)
        for case, right in expected.right.items():
            worst = max(worst, _excess(only, observed.calls[call_id(case, "graded")].value, right))
    why = None if worst <= 0.5 else message("it uses {share} of what is allowed", share=f"{worst:.2f}")
    claim = message("float32 rounding uses at most half of what is allowed, over {seeds} seeds", seeds=SEEDS)
    yield Proof(bench.exercise.slug, claim, worst <= 0.5, why)


PROOFS: tuple[Callable[[_Workbench], Iterator[Proof]], ...] = (
    _reference_passes,
    _nothing_for_nothing,
    _sizes_apart,
    _catches,
    _rounding,
)
