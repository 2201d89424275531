"""A formula and the right one in, how far they agree out: both are computed on random matrices whose sizes all differ, several times.

Sizes change from draw to draw, so that a number written in place of a symbol cannot agree. Masks are drawn in two families: finite numbers,
and zeros with -∞. A formula that treats the mask in another way may agree on the second family only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

import numpy as np

from grader.kinds.formula.grammar import parse
from grader.kinds.formula.tree import Node, WrongShape
from grader.kinds.formula.typed import Array, Scope, Typed, scalar
from grader.kinds.formula.values import evaluate
from grader.model import message

DRAWS = 6
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23)
RTOL, ATOL = 1e-9, 1e-12
PYTHON = re.compile(r"@|\*\*|\.(T|mT|t\(\)|transpose|softmax|matmul|size|shape)\b|\b(torch|np|numpy|math|F)\.|dim\s*=")


class Masks(Enum):
    """What a mask is drawn from."""

    FINITE = "finite"
    BLOCKING = "blocking"  # 0 where allowed, -∞ where not; no row without an allowed key


@dataclass(frozen=True)
class Space:
    """What the formulas of a question are about.

    `symbols` gives each symbol its axes, none for a scalar; a scalar that is called like an axis has its size as value. `aliases` are
    further names, (name, symbol). Hashable, so that the right formula is computed once.
    """

    symbols: tuple[tuple[str, tuple[str, ...]], ...]
    masks: frozenset[str] = frozenset()
    aliases: tuple[tuple[str, str], ...] = ()

    @property
    def names(self) -> dict[str, str]:
        """Every way to name a symbol, and the symbol."""
        return {**{name: name for name, _ in self.symbols}, **dict(self.aliases)}

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of all axes, each once, in the order in which they appear."""
        return tuple(dict.fromkeys(axis for _, axes in self.symbols for axis in axes))


class Agreement(Enum):
    """How far a formula agrees with the right one."""

    EQUAL = "equal"
    BLOCKING_ONLY = "blocking only"  # equal for masks of 0 and -∞, not for finite ones
    FINITE_ONLY = "finite only"  # equal for finite masks; with -∞ it is not a number
    TRANSPOSED = "transposed"
    OTHER_SHAPE = "other shape"
    DIFFERENT = "different"


@lru_cache(64)
def draws(space: Space, masks: Masks) -> tuple[dict[str, Typed], ...]:
    """Return what the symbols are worth in each draw; the same at every call."""
    return tuple(_draw(space, masks, np.random.default_rng([2017, number]), 1 + number % 3) for number in range(DRAWS))


def _draw(space: Space, masks: Masks, rng: np.random.Generator, spread: int) -> dict[str, Typed]:
    sizes = dict(zip(space.axes, rng.permutation(PRIMES[: max(len(space.axes), 6)]).tolist(), strict=False))
    drawn: dict[str, Typed] = {}
    for name, axes in space.symbols:
        shape = [sizes[axis] for axis in axes]
        if not axes:
            drawn[name] = scalar(float(sizes.get(name, rng.uniform(20.0, 40.0))))
        elif name in space.masks and masks is Masks.BLOCKING:
            drawn[name] = Typed(_blocking(shape, rng), axes)
        else:
            drawn[name] = Typed(spread * rng.normal(size=shape), axes)
    return drawn


def _blocking(shape: list[int], rng: np.random.Generator) -> Array:
    mask: Array = np.where(rng.random(shape) < 0.4, -np.inf, 0.0)
    mask[..., int(rng.integers(shape[-1]))] = 0.0
    return mask


def read(text: str, space: Space) -> Node:
    """Return the tree of a formula in the symbols of the space; raise Unreadable."""
    return parse(text, tuple(space.names), tuple(name for name, _ in space.symbols))


@lru_cache(256)
def compute(text: str, space: Space, masks: Masks) -> tuple[Typed, ...]:
    """Return what a formula gives in each draw; raise Unreadable or WrongShape."""
    tree = read(text, space)
    python = bool(PYTHON.search(text))
    with np.errstate(all="ignore"):
        return tuple(evaluate(tree, Scope(values, space.names, python)) for values in draws(space, masks))


def agreement(text: str, key: str, space: Space) -> Agreement:
    """Return how far the formula `text` agrees with the formula `key`.

    Raises:
        Unreadable: `text` is not a formula of these symbols.
        WrongShape: it is one, but cannot be computed.
    """
    got, right = compute(text, space, Masks.FINITE), compute(key, space, Masks.FINITE)
    finite = same(got, right)
    blocking = (
        same(compute(text, space, Masks.BLOCKING), compute(key, space, Masks.BLOCKING)) if space.masks else finite
    )
    if finite or blocking:
        return {(True, True): Agreement.EQUAL, (True, False): Agreement.FINITE_ONLY}.get(
            (finite, blocking), Agreement.BLOCKING_ONLY
        )
    if got[0].axes != right[0].axes:
        turned = tuple(Typed(value.array.T, value.axes[::-1]) for value in got)
        return Agreement.TRANSPOSED if same(turned, right) else Agreement.OTHER_SHAPE
    return Agreement.DIFFERENT


def same(got: tuple[Typed, ...], right: tuple[Typed, ...]) -> bool:
    """Whether two formulas agree in every draw, axes included."""
    return all(a.axes == b.axes and _close(a.array, b.array) for a, b in zip(got, right, strict=True))


def _close(got: Array, right: Array) -> bool:
    return bool(np.allclose(got, right, rtol=RTOL, atol=ATOL))


def arrays(space: Space, masks: Masks) -> list[dict[str, Any]]:
    """Return the draws as plain arrays and numbers, for a computation that is not a formula (the reference)."""
    return [
        {name: value.array if value.axes else value.number for name, value in drawn.items()}
        for drawn in draws(space, masks)
    ]


def must_be_finite(text: str, space: Space) -> None:
    """Raise WrongShape where a formula gives a value that is not a finite number: it could not be a key."""
    for masks in Masks:
        if not all(np.isfinite(value.array).all() for value in compute(text, space, masks)):
            raise WrongShape(message("the formula does not give finite numbers"))
