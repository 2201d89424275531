"""An exercise in, what its cases miss out: wrong forms of its reference that get full marks, and a case that tells them apart.

A wrong form is the reference with one operator, axis, constant, argument, call or condition replaced, or one of its known
mistakes. Whether it is wrong at all is asked of fresh inputs: equal to the reference on all of them, it is no wrong answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from grader.author.mutate.allowed import Allowed
from grader.author.mutate.edits import Mutant, mistaken, mutants_of, together
from grader.author.mutate.judging import CAUGHT, EQUAL, NONE, PASSES, Shown, bench, scored
from grader.author.mutate.source import reached
from grader.author.mutate.worker import GONE, GUARD, Guard, guarded
from grader.model import Exercise, Text
from grader.stages.compute import Reference, run_all, steps_used
from grader.stages.plan import plan


@dataclass(frozen=True)
class Survivor:
    """A wrong form that gets full marks. With `why` the course says that it may."""

    mutant: Mutant
    shown: Shown
    why: Text | None = None


@dataclass(frozen=True)
class Search:
    """What became of all wrong forms of one exercise."""

    slug: str
    tried: int
    caught: int
    stopped: int  # of those caught: because of time, memory or a crash
    equal: int
    survivors: tuple[Survivor, ...]  # that pass, those that may among them

    @property
    def hollow(self) -> tuple[Survivor, ...]:
        """The survivors that the course does not explain."""
        return tuple(survivor for survivor in self.survivors if survivor.why is None)


@dataclass(frozen=True)
class Settings:
    """How a search runs: where the reference lies, what is drawn, and whether two known mistakes at once are tried."""

    root: Path
    folder: Path
    seed: int = 0
    pairs: bool = False
    guard: Guard = GUARD
    allowed: tuple[Allowed, ...] = ()


def search(exercise: Exercise, reference: Reference, settings: Settings) -> Search:
    """Try every wrong form of the reference on an exercise; raise GraderError where the reference itself fails."""
    mutants = list(wrong_forms(exercise, reference, settings))

    def make() -> Callable[[int], Any]:
        made = bench(exercise, reference, settings.folder, settings.seed)
        return lambda at: made.judge(mutants[at])

    counts = dict.fromkeys((CAUGHT, EQUAL, NONE, PASSES, GONE), 0)
    survivors = []
    for mutant, said in zip(mutants, guarded(len(mutants), make, settings.guard), strict=True):
        verdict, shown = (GONE, None) if said == GONE else said
        counts[verdict] += 1
        if shown is not None:
            why = next((a.why for a in settings.allowed if a.covers(exercise.slug, mutant)), None)
            survivors.append(Survivor(mutant, shown, why))
    caught = counts[CAUGHT] + counts[GONE]
    return Search(exercise.slug, len(mutants) - counts[NONE], caught, counts[GONE], counts[EQUAL], tuple(survivors))


def wrong_forms(exercise: Exercise, reference: Reference, settings: Settings) -> Iterator[Mutant]:
    """Yield the wrong forms of what an exercise's reference runs, in the order of its source, then the known mistakes."""
    planned = plan(scored(exercise), seed=settings.seed)
    function = reference.functions[exercise.reference]

    def call() -> Mapping[str, Any]:
        return run_all(function, planned, reference.steps, "float64")

    for place in reached(call, settings.folder, settings.root, reference.steps):
        yield from mutants_of(place)
    known = list(
        mistaken(reference, steps_used(function, planned, reference), lambda step: _place(step, settings.root))
    )
    yield from known
    if settings.pairs:
        yield from (together(one, other) for one, other in combinations(known, 2))


def _place(step: Any, root: Path) -> tuple[str, int]:
    code = getattr(step, "__code__", None)
    if code is None:
        return "", 0
    file = Path(code.co_filename)
    return (file.relative_to(root).as_posix() if root in file.parents else file.name), code.co_firstlineno
