"""A tiny exercise and its reference, for tests of the stages: row-wise softmax of scaled scores, mixed with values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch

from grader.kinds.checks import CHECKS
from grader.kinds.inputs import INPUTS
from grader.model import Case, Exercise, Expectations, Mistake, Parameter, Plan, Signature
from grader.stages.compute import Reference, compute
from grader.stages.plan import plan


class NotApplicable(Exception):
    """A mistake without meaning here."""


@dataclass(frozen=True)
class Steps:
    scale: Any
    normalise: Any
    mix: Any


CORRECT = Steps(
    scale=lambda s, d: s / d**0.5,
    normalise=lambda s: torch.softmax(s, -1),
    mix=lambda w, v: w @ v,
)


def mixing(q: Any, k: Any, v: Any, *, steps: Steps = CORRECT) -> Any:
    """Return (output, weights)."""
    if q.shape[-1] != k.shape[-1]:
        raise ValueError("features differ")
    weights = steps.normalise(steps.scale(q @ k.transpose(-2, -1), q.shape[-1]))
    return steps.mix(weights, v), weights


def _never(*_: Any) -> Any:
    raise NotApplicable


MISTAKES: dict[str, dict[str, Any]] = {
    "unscaled": {"scale": lambda s, d: s},
    "divided_by_d": {"scale": lambda s, d: s / d},
    "scaled_twice": {"scale": lambda s, d: s / d**0.5 / d**0.5},
    "over_queries": {"normalise": lambda s: torch.softmax(s, -2)},
    "mixes_nothing": {"mix": lambda w, v: (_ for _ in ()).throw(RuntimeError("no product"))},
    "elsewhere": {"mix": _never},
}
REFERENCE = Reference({"mixing": mixing}, MISTAKES, CORRECT, NotApplicable)
TEXTS = {
    name: Mistake(name, (f"T{i}",), {"en": f"{name} says", "zh": f"{name} 说"}, {"en": "why?", "zh": "为什么？"})
    for i, name in enumerate(MISTAKES)
}


def exercise(**changes: Any) -> Exercise:
    """The exercise; keyword arguments replace its fields."""
    normal = INPUTS["normal"]
    made = Exercise(
        slug="mixing",
        title={"en": "Mixing", "zh": "混合"},
        points=6.0,
        prompt={"en": "Mix.", "zh": "混合。"},
        signature=Signature("mixing", (Parameter("q"), Parameter("k"), Parameter("v"))),
        reference="mixing",
        inputs={
            "q": normal(normal=("B", "T", "D")),
            "k": normal(normal=("B", "S", "D")),
            "v": normal(normal=("B", "S", "E")),
        },
        returns={"output": ("B", "T", "E"), "weights": ("B", "T", "S")},
        cases=(
            Case("apart", {"B": 2, "T": 3, "S": 5, "D": 7, "E": 4}),
            Case("square", {"B": 1, "T": 4, "S": 4, "D": 4, "E": 4}),
            Case("secret", {"B": 2, "T": 3, "S": 6, "D": 5, "E": 4}, hidden=True),
        ),
        checks=tuple(
            CHECKS[word]() for word in ("shape", "dtype", "finite", "values", "inputs_unchanged", "gradients")
        ),
        catches=(("unscaled",), ("divided_by_d", "scaled_twice"), ("over_queries",), ("mixes_nothing",)),
    )
    return replace(made, **changes)


def prepared(**changes: Any) -> tuple[Plan, Expectations]:
    """The plan and the expectations of the exercise."""
    planned = plan(exercise(**changes))
    return planned, compute(planned, REFERENCE)
