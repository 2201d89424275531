"""How well mistakes are caught and named, and what naming them costs. Prints the figures of docs/benchmarks.md.

1. Every exercise: mistakes that it promises to catch, caught and named.
2. Pairs of mistakes in different steps: named as that pair, or as an equal function.
3. Right answers, however they are written: rejected ones.
4. What diagnosis adds to judging a wrong answer, expectations known.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from grader.author.direct import Direct
from grader.course.folder import load_course, load_course_mistakes
from grader.grade import Settings, grade_exercise
from grader.model import Exercise, Observations, Plan, Verdict
from grader.stages.compare import compare
from grader.stages.compute import Reference, compute, mistaken
from grader.stages.diagnose import diagnose
from grader.stages.expect import expect, fitting_pairs, load_reference
from grader.stages.intake import read_submission
from grader.stages.pairs import single_pairs
from grader.stages.plan import plan
from grader.stages.sandbox import open_sandbox
from grader.stages.traces import same

ROOT = Path(__file__).parent.parent
RIGHT = ROOT / "tests" / "submissions" / "right"
PAIRED = ("attention", "multi_head_attention")
MOST_PAIRS = int(sys.argv[1]) if len(sys.argv) > 1 else 400


def wrong(reference: Reference, exercise: Exercise, ids: tuple[str, ...]) -> Any:
    """Return the reference function with these mistakes."""
    steps = {step: f for name in ids for step, f in reference.mistakes[name].items()}
    return partial(reference.functions[exercise.reference], steps=replace(reference.steps, **steps))


def by_exercise(course: Any, mistakes: Any, reference: Reference) -> None:
    """Print caught / declared and named / caught for each exercise."""
    print(f"{'exercise':<32}{'declared':>9}{'caught':>8}{'named':>8}")
    totals = [0, 0, 0]
    for slug, exercise in course.exercises.items():
        planned = plan(exercise)
        expected = compute(planned, reference)
        counts = [0, 0, 0]
        for name in (name for group in exercise.catches for name in group if name in reference.mistakes):
            observed = Direct(wrong(reference, exercise, (name,))).run(planned)
            outcomes = compare(planned, observed, expected)
            found = diagnose(planned, observed, expected, mistakes, outcomes)
            counts[0] += 1
            counts[1] += sum(o.points for o in outcomes) < exercise.points - 1e-9
            counts[2] += any(name in d.mistakes for d in found)
        totals = [a + b for a, b in zip(totals, counts, strict=True)]
        print(f"{slug:<32}{counts[0]:>9}{counts[1]:>8}{counts[2]:>8}")
    print(f"{'all':<32}{totals[0]:>9}{totals[1]:>8}{totals[2]:>8}\n")


def pairs(course: Any, mistakes: Any, reference: Reference) -> None:
    """Print how pairs are named: as the pair, as an equal function, as one mistake that is equal, or not."""
    print(f"{'exercise':<32}{'tried':>6}{'pair':>6}{'equal':>7}{'single':>8}{'other':>7}{'none':>6}{'share':>8}")
    for slug in PAIRED:
        if slug not in course.exercises:
            continue
        exercise = course.exercises[slug]
        planned = plan(exercise)
        with tempfile.TemporaryDirectory() as folder:
            expected = expect(planned, ROOT, Path(folder))
            every = list(single_pairs(reference, expected))
            tried = random.Random(0).sample(every, min(MOST_PAIRS, len(every)))
            counts = dict.fromkeys(("pair", "equal", "single", "other", "none"), 0)
            for pair in tried:
                observed = Direct(wrong(reference, exercise, pair)).run(planned)
                more = partial(fitting_pairs, planned, observed, expected, ROOT, Path(folder))
                found = diagnose(planned, observed, expected, mistakes, (), more)
                counts[_kind(pair, found, planned, reference, exercise)] += 1
        share = (counts["pair"] + counts["equal"] + counts["single"]) / len(tried)
        columns = "".join(f"{count:>{wide}}" for count, wide in zip(counts.values(), (6, 7, 8, 7, 6), strict=True))
        print(f"{slug:<32}{len(tried):>6}{columns}{share:>8.1%}")
    print()


def _kind(pair: tuple[str, ...], found: Any, planned: Plan, reference: Reference, exercise: Exercise) -> str:
    if not found:
        return "none"
    ids = found[0].mistakes
    if set(ids) == set(pair):
        return "pair"
    told = ids[:1] if found[0].same else ids
    traces = [
        mistaken(
            wrong(reference, exercise, names).func,
            planned,
            reference,
            wrong(reference, exercise, names).keywords["steps"],
        )
        for names in (pair, told)
    ]
    if traces[0] is None or traces[1] is None or not all(same(traces[0][c], traces[1][c]) for c in traces[0]):
        return "other"
    return "single" if len(told) == 1 else "equal"


def false_rejects(course: Any, settings: Settings) -> None:
    """Print how many right samples are rejected."""
    samples = [path for path in sorted(RIGHT.glob("*/*.py")) if path.parent.name in course.exercises]
    rejected = []
    with open_sandbox("best", preload=course.preload, warm=True) as sandbox:
        for path in samples:
            exercise = course.exercises[path.parent.name]
            result = grade_exercise(exercise, read_submission(path, exercise.slug, path.name), settings, sandbox)
            if result.verdict is not Verdict.PASSED:
                rejected.append(f"{path.parent.name}/{path.name}")
    print(f"right answers: {len(samples)}, rejected: {len(rejected)} {rejected}\n")


def added_time(course: Any, mistakes: Any, reference: Reference) -> None:
    """Print what diagnosis adds to judging each single mistake of `attention`, in milliseconds."""
    exercise = course.exercises["attention"]
    planned = plan(exercise)
    expected = compute(planned, reference)
    judged, named = [], []
    for observed in _observed(exercise, planned, reference):
        start = time.perf_counter()
        outcomes = compare(planned, observed, expected)
        middle = time.perf_counter()
        diagnose(planned, observed, expected, mistakes, outcomes)
        judged.append(middle - start)
        named.append(time.perf_counter() - middle)
    print(f"{'attention, a wrong answer':<32}{'median ms':>10}{'worst ms':>10}")
    for title, times in (("judging", judged), ("diagnosis", named)):
        print(f"{title:<32}{1000 * statistics.median(times):>10.1f}{1000 * max(times):>10.1f}")


def _observed(exercise: Exercise, planned: Plan, reference: Reference) -> Iterator[Observations]:
    for group in exercise.catches:
        yield Direct(wrong(reference, exercise, group[:1])).run(planned)


def main() -> None:
    """Print all four tables."""
    course, mistakes, reference = load_course(ROOT), load_course_mistakes(ROOT), load_reference(ROOT)
    by_exercise(course, mistakes, reference)
    pairs(course, mistakes, reference)
    with tempfile.TemporaryDirectory() as folder:
        false_rejects(course, Settings(ROOT, mistakes, cache=Path(folder)))
    added_time(course, mistakes, reference)


if __name__ == "__main__":
    main()
