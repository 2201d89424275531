"""A course in, proofs out: what shows that each exercise and quiz does what its file promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from grader.author.baselines import BASELINES, Baseline
from grader.author.direct import Direct
from grader.author.excess import excess
from grader.author.proof import Proof, placed, raised_at
from grader.author.quizzes import caller, verify_quiz
from grader.author.unpromised import listed, unpromised
from grader.grade import Runner
from grader.kinds.checks import CheckKind
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
    Quiz,
    Submission,
    Verdict,
    message,
)
from grader.stages.compare import compare
from grader.stages.compute import Reference, compute
from grader.stages.diagnose import diagnose
from grader.stages.expect import load_reference
from grader.stages.plan import call_id, plan
from grader.stages.spec.source import or_near

SEEDS = 200
"""How many seeds the reference's own rounding is measured over."""
MARGIN = 10
"""A mistake misses what is allowed by this factor in some case."""


@dataclass(frozen=True)
class Workbench:
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
    reference, root = load_reference(Path(course.root)), Path(course.root)
    for slug, exercise in course.exercises.items():
        if not slugs or slug in slugs:
            yield from prove_exercise(exercise, reference, mistakes, root)
    for slug, quiz in course.quizzes.items():
        if not slugs or slug in slugs:
            yield from prove_quiz(quiz, course, reference)


def prove_quiz(quiz: Quiz, course: Course, reference: Reference) -> Iterator[Proof]:
    """Yield the proofs of a quiz."""
    call = caller(reference, course.arrays)
    for proof in verify_quiz(quiz, call, Path(course.root), exercises=course.exercises):
        yield placed(proof, Path(course.root), quiz.file)


def prove_exercise(
    exercise: Exercise, reference: Reference, mistakes: Mapping[str, Mistake], root: Path
) -> Iterator[Proof]:
    """Yield the proofs of an exercise of the course in `root`; what does not hold has its place."""
    for proof in _proofs(exercise, reference, mistakes, root):
        yield placed(proof, root, exercise.file)


def _proofs(exercise: Exercise, reference: Reference, mistakes: Mapping[str, Mistake], root: Path) -> Iterator[Proof]:
    judged = judged_here(exercise)
    claim, at = message("the reference runs"), ("reference",)
    if exercise.reference not in reference.functions:
        what = message("the reference has no function `{name}`", name=exercise.reference)
        yield Proof(exercise.slug, claim, False, or_near(what, exercise.reference, reference.functions), at)
        return
    try:
        planned = plan(judged)
        bench = Workbench(judged, planned, compute(planned, reference), reference, mistakes)
    except GraderError as error:
        told = [str(part) for part in (error, error.__cause__) if part and str(part)]
        raised = error.__cause__ and raised_at(error.__cause__, root)
        why = message("{what}", what=": ".join([*told, *([raised] if raised else [])]))
        yield Proof(exercise.slug, claim, False, why, at)
        return
    for prove in PROOFS:
        yield from prove(bench)
    yield from _left_to_samples(exercise, reference)


def judged_here(exercise: Exercise) -> Exercise:
    """Return the exercise without the checks that only a real module can pass or fail: the reference is a function."""
    return replace(exercise, checks=tuple(c for c in exercise.checks if c not in _for_modules(exercise)))


def _for_modules(exercise: Exercise) -> tuple[CheckKind, ...]:
    """The checks that only a real module can pass or fail: the reference is a function."""
    return tuple(c for c in exercise.checks if isinstance(c, CheckKind) and c.needs_module)


def _left_to_samples(exercise: Exercise, reference: Reference) -> Iterator[Proof]:
    ids = [mistake for group in exercise.catches for mistake in group if reference.mistakes.get(mistake) == {}]
    words = ", ".join([*(check.word for check in _for_modules(exercise)), *ids])
    if words:
        claim = message("left to samples of modules, right and wrong: {words}", words=words)
        yield Proof(exercise.slug, claim, True, remark=True, elsewhere=True)


def _reference_passes(bench: Workbench) -> Iterator[Proof]:
    function = bench.reference.functions[bench.exercise.reference]
    outcomes, _ = bench.grade(Direct(function))
    bad = [o for o in outcomes if o.verdict not in (Verdict.PASSED, Verdict.SKIPPED)]
    first = bad[0] if bad else None
    why = first and message(
        "case {case}, {check}: {text}", case=first.case, check=first.check, text=first.message or first.verdict.value
    )
    at = ("checks", _index(bench.exercise, first.check)) if first else ()
    yield Proof(bench.exercise.slug, message("the reference passes every check"), not bad, why or None, at)


def _index(exercise: Exercise, word: str) -> int:
    """Where a check stands in the list; the first place for what is said of no check of its own."""
    return next((at for at, check in enumerate(exercise.checks) if check.word == word), 0)


def _stub(**arguments: Any) -> None:
    raise NotImplementedError


def _nothing_for_nothing(bench: Workbench) -> Iterator[Proof]:
    runners: dict[str, Runner] = {"the starter": Direct(_stub)}
    runners |= {name: Baseline(maker, bench.expectations) for name, maker in BASELINES.items()}
    paid = []
    for name, runner in runners.items():
        outcomes, _ = bench.grade(runner)
        paid += [f"{name}: {o.case}" for o in outcomes if o.points > 0]
    why = message("these earn points: {names}", names="; ".join(paid)) if paid else None
    yield Proof(bench.exercise.slug, message("the starter and trivial answers score 0"), not paid, why, ("cases",))


def _sizes_apart(bench: Workbench) -> Iterator[Proof]:
    apart = any(len(set(d.sizes.values())) == len(d.sizes) and not d.case.hidden for d in bench.plan.cases)
    why = None if apart else message("give one open case sizes that are all different")
    yield Proof(bench.exercise.slug, message("some open case has all sizes different"), apart, why, ("cases",))


def _catches(bench: Workbench) -> Iterator[Proof]:
    for place, group in enumerate(bench.exercise.catches):
        for index, mistake in enumerate(group):
            if bench.reference.mistakes.get(mistake) == {}:
                continue  # without a step: it shows in samples alone
            why = _caught(bench, mistake, group)
            claim = message("catches and names {mistake}", mistake=mistake)
            yield Proof(bench.exercise.slug, claim, why is None, why, ("catches", place, index))


def _caught(bench: Workbench, mistake: str, group: tuple[str, ...]) -> Message | None:
    if mistake not in bench.reference.mistakes:
        return or_near(message("the reference has no mistake of this name"), mistake, bench.reference.mistakes)
    if mistake not in bench.mistakes:
        return message("reference_impl/mistakes.yaml has no `{word}`", word=mistake)
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


def _misses_by_far(bench: Workbench, mistake: str, lost: list[Outcome]) -> bool:
    """Whether some case is off by MARGIN times what is allowed, or fails on a rung where nothing is measured."""
    if any(outcome.check != "values" for outcome in lost):
        return True
    observed = Direct(bench.wrong(mistake)).run(bench.plan)
    return any(
        excess(bench.exercise, observed.calls[call_id(o.case, "graded")].value, bench.expectations.right[o.case])
        >= MARGIN
        for o in lost
    )


def _rounding(bench: Workbench) -> Iterator[Proof]:
    """The reference in float32 stays within half of what is allowed, over many seeds."""
    function = bench.reference.functions[bench.exercise.reference]
    only = replace(bench.exercise, checks=())
    lone = replace(bench.reference, mistakes={})
    worst = 0.0
    for seed in range(SEEDS):
        planned = plan(only, seed=seed)
        expected, observed = compute(planned, lone), Direct(function).run(planned)
        for case, right in expected.right.items():
            worst = max(worst, excess(only, observed.calls[call_id(case, "graded")].value, right))
    why = None if worst <= 0.5 else message("it uses {share} of what is allowed", share=f"{worst:.2f}")
    claim = message("float32 rounding uses at most half of what is allowed, over {seeds} seeds", seeds=SEEDS)
    yield Proof(bench.exercise.slug, claim, worst <= 0.5, why, ("reference",))


def _unpromised(bench: Workbench) -> Iterator[Proof]:
    """What the exercise could promise besides: no proof, but worth knowing."""
    if groups := unpromised(bench, _caught):
        claim = message("`catches` could have these too: {groups}", groups=listed(groups))
        yield Proof(bench.exercise.slug, claim, True, remark=True)


PROOFS: tuple[Callable[[Workbench], Iterator[Proof]], ...] = (
    _reference_passes,
    _nothing_for_nothing,
    _sizes_apart,
    _catches,
    _rounding,
    _unpromised,
)
