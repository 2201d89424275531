"""The steps of the answers: what each mistake replaces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


class NotApplicable(Exception):
    """A mistake that cannot be made here."""


@dataclass(frozen=True)
class Steps:
    """What one line of an answer does."""

    size: Callable[..., Any]
    total: Callable[..., Any]
    order: Callable[..., Any]
    kept: Callable[..., Any]
    elected: Callable[..., Any]


def elected(votes: Any) -> Any:
    """Return for each row of votes the most frequent label, of several the smallest."""
    return np.array([np.bincount(row).argmax() for row in votes])


CORRECT = Steps(
    size=np.square,
    total=lambda differences: differences.sum(axis=-1),
    order=lambda distances: np.argsort(distances, axis=-1, kind="stable"),
    kept=lambda order, k: order[:, :k],
    elected=elected,
)
