"""An exercise in, other cases of it out: the same sizes drawn anew, other sizes, other numbers, optional arguments left out.

They are what a right answer has to bear beside the cases of the file. Only words of YAML are used, so that one that shows
something can be added to the file as it is.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any

import numpy as np
import yaml

from grader.kinds.inputs import INPUTS, InputKind
from grader.kinds.inputs.plain import Literal
from grader.model import Case, Exercise, Input

SIZES, OTHER = 20, 50
"""How many cases with other sizes, and with other sizes and other numbers, are made at least."""

SMALL, SQUARES = (1, 2, 3, 4, 5, 6, 7, 8, 9), (1, 4, 4, 16)
"""Sizes of an axis; of the second row, the roots are whole."""
CENTRES = (3, 12, 40, 150, 600)
NUMBERS = ("normal", "integers", "outlier")
"""Inputs of any numbers, for which any other numbers may stand."""


@dataclass(frozen=True)
class Fresh:
    """A case that the exercise does not have, and the seed that it is drawn from."""

    case: Case
    seed: int
    of: str  # the case that it was made from
    same: bool = False  # whether nothing but the seed differs from that one
    ordinary: bool = True  # whether its numbers are as large as in that one


def fresh_cases(exercise: Exercise, seed: int) -> Iterator[Fresh]:
    """Yield other cases, the likest first. Whether one makes sense is for the reference to say."""
    rng = np.random.default_rng([seed, zlib.crc32(exercise.slug.encode())])
    taken = {case.name for case in exercise.cases}  # what an earlier search found may stand in the file
    free = (number for number in count(1) if _name(number)["en"] not in taken)
    for least, change in ((len(exercise.cases), None), (SIZES, _other_sizes), (OTHER, _other_numbers)):
        for at in range(max(least, len(exercise.cases))):
            case = _plain(exercise.cases[at % len(exercise.cases)])
            made = case if change is None else change(case, exercise, rng)
            number = next(free)
            yield Fresh(
                replace(made, name=_name(number)["en"], says=_name(number)),
                1000 * (seed + 1) + number,
                case.name,
                same=change is None,
                ordinary=change is not _other_numbers,
            )


def _plain(case: Case) -> Case:
    return replace(case, hidden=False, weight=1.0, says=None)


def _name(number: int) -> dict[str, str]:
    return {"en": f"found {number}", "zh": f"新用例 {number}"}


def _other_sizes(case: Case, exercise: Exercise, rng: np.random.Generator) -> Case:
    """The case with other sizes: all drawn, one of them 1, or all alike."""
    sizes = {axis: int(rng.choice(SMALL)) for axis in case.sizes}
    if sizes and rng.random() < 0.3:
        sizes[str(rng.choice(list(sizes)))] = 1
    elif rng.random() < 0.2:
        sizes = dict.fromkeys(sizes, int(rng.choice(SMALL)))
    kept = [axis for axis in sizes if rng.random() < 0.3]
    return replace(case, sizes={**sizes, **{axis: case.sizes[axis] for axis in kept}})


def _other_numbers(case: Case, exercise: Exercise, rng: np.random.Generator) -> Case:
    """The case with other sizes, numbers of another size or sign, and optional arguments given or left out."""
    if rng.random() < 0.5:
        made, vary = _other_sizes(case, exercise, rng), _varied
    else:
        made = replace(case, sizes={axis: int(rng.choice(SQUARES)) for axis in case.sizes})
        vary = partial(_whole, int(rng.choice(CENTRES)))
    kinds = {**exercise.inputs, **case.inputs}
    inputs = {
        name: vary(kind, [c.inputs[name] for c in exercise.cases if name in c.inputs], rng)
        for name, kind in kinds.items()
    }
    optional = sorted({name for each in exercise.cases for name in each.omit})
    omit = frozenset(name for name in optional if (name in case.omit) == (rng.random() < 0.7))
    changed = {name: kind for name, kind in inputs.items() if kind != exercise.inputs.get(name) and name not in omit}
    return replace(made, inputs=changed, omit=omit)


def _whole(centre: int, kind: Input, others: list[Input], rng: np.random.Generator) -> Input:
    """Whole numbers far above or below 0 in the place of any numbers: scores of them are huge, and exact in float32."""
    if isinstance(kind, InputKind) and kind.word in NUMBERS:
        side = centre * int(rng.choice((-1, 1)))
        return _kind("integers", kind.shape_axes, low=side - 3, high=side + 3)
    return kind


def _varied(kind: Input, others: list[Input], rng: np.random.Generator) -> Input:
    """Another input of the same form: numbers on another scale, far from 0 or with an outlier, another constant."""
    if not isinstance(kind, InputKind):
        return kind
    if kind.word in NUMBERS:
        axes, side = kind.shape_axes, float(rng.choice((-1, 1)) * rng.choice(CENTRES))
        made = (
            _kind("normal", axes, scale=float(rng.choice((0.01, 0.1, 1.0, 3.0, 10.0)))),
            _kind("integers", axes),
            _kind("outlier", axes, times=float(rng.choice((0.0, 1.0, 5.0))), plus=side) if axes[1:] else kind,
            kind,
        )
        return made[int(rng.choice(len(made), p=(0.4, 0.2, 0.2, 0.2)))]
    return _constant(kind, others, rng) if kind.word == "value" else kind


def _kind(word: str, axes: tuple[str | int, ...], **options: Any) -> Input:
    return INPUTS[word](**{word: axes}, **options)


def _constant(kind: InputKind, others: list[Input], rng: np.random.Generator) -> Input:
    """A constant near by, or one of another case."""
    value = getattr(kind, "value", None)
    if isinstance(value, bool | str) or value is None:
        return others[int(rng.integers(len(others)))] if others else kind
    if isinstance(value, int):
        return Literal(value=int(value + rng.integers(-2, 3)))
    if isinstance(value, float):
        return Literal(value=float(f"{value * rng.choice((0.1, 0.5, 1.0, 2.0, 10.0)):.6g}"))
    return kind


def as_yaml(case: Case) -> str:
    """Return a case as it may stand in an exercise file, on one line."""
    shown: dict[str, Any] = {
        "name": case.shown,
        **{a: list(s) if isinstance(s, tuple) else s for a, s in case.sizes.items()},
    }
    if case.omit:
        shown["omit"] = sorted(case.omit)
    if case.raises:
        shown["raises"] = case.raises
    for field in ("inputs", "build", "state"):
        kinds: Mapping[str, Input] = getattr(case, field)
        if kinds:
            shown[field] = {name: _written(kind) for name, kind in kinds.items()}
    return yaml.safe_dump(shown, default_flow_style=True, width=10_000, sort_keys=False, allow_unicode=True).strip()


def _written(kind: Input) -> Any:
    made = kind.model_dump(mode="json", by_alias=True) if isinstance(kind, InputKind) else {}
    fields = type(kind).model_fields if isinstance(kind, InputKind) else {}
    return {n: v for n, v in made.items() if n not in fields or fields[n].is_required() or v != fields[n].default}
