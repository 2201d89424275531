"""The answers of a course on nearest neighbours: numpy arrays in, numpy arrays out."""

from __future__ import annotations

from typing import Any

from .mistakes import MISTAKES
from .steps import CORRECT, NotApplicable, Steps


def squared_distances(queries: Any, points: Any, *, steps: Steps = CORRECT) -> Any:
    """Return (Q, N): the squared Euclidean distance of each query (Q, D) and each point (N, D)."""
    return steps.total(steps.size(queries[:, None, :] - points[None, :, :]))


def nearest_points(queries: Any, points: Any, k: int, *, steps: Steps = CORRECT) -> Any:
    """Return (Q, k) int64: which points are nearest to each query, the nearest first."""
    if not 1 <= k <= len(points):
        raise ValueError("k is not between 1 and the number of points")
    order = steps.order(squared_distances(queries, points, steps=steps))
    return steps.kept(order, k)


def vote(neighbours: Any, labels: Any, *, steps: Steps = CORRECT) -> Any:
    """Return (Q,) int64: the label that most neighbours (Q, k) have; of several the smallest."""
    return steps.elected(labels[neighbours])


FUNCTIONS = {"squared_distances": squared_distances, "nearest_points": nearest_points, "vote": vote}

__all__ = ["CORRECT", "FUNCTIONS", "MISTAKES", "NotApplicable"]
