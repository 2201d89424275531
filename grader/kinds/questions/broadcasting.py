"""Axes of several tensors in, how they broadcast out: one pair of axes after the other, from the right."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from grader.model import Message, message

Axes = Sequence[int | str]


def broadcast(operands: Sequence[Axes]) -> tuple[str, ...] | None:
    """Return the axes that these give together, None where they do not fit. Symbols fit themselves and 1."""
    columns = [_together(column) for column in _columns(operands)]
    return None if None in columns else tuple(reversed([str(axis) for axis in columns]))


def explained(operands: Sequence[Axes]) -> Message:
    """Return how the axes line up, for somebody who got them wrong."""
    steps = [f"{', '.join(column)} → {_together(column) or '✗'}" for column in _columns(operands)]
    return message(
        "Broadcasting lines axes up from the right; 1 stretches, and a missing axis counts as 1: {steps}.",
        steps="; ".join(steps),
    )


def _columns(operands: Sequence[Axes]) -> list[tuple[str, ...]]:
    return list(zip_longest(*([str(axis) for axis in reversed(axes)] for axes in operands), fillvalue="1"))


def _together(column: tuple[str, ...]) -> str | None:
    sizes = {axis for axis in column if axis != "1"}
    return None if len(sizes) > 1 else next(iter(sizes), "1")
