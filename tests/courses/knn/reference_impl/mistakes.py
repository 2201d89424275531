"""The steps of known mistakes; what is said of them is in mistakes.yaml."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _last_elected(votes: Any) -> Any:
    counts = [np.bincount(row) for row in votes]
    return np.array([len(count) - 1 - count[::-1].argmax() for count in counts])


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "root_taken": {"total": lambda differences: np.sqrt(differences.sum(axis=-1))},
    "not_squared": {"size": np.abs},
    "averaged": {"total": lambda differences: differences.mean(axis=-1)},
    "farthest_first": {"order": lambda distances: np.argsort(-distances, axis=-1, kind="stable")},
    "sorted_along_queries": {"order": lambda distances: np.argsort(distances, axis=0, kind="stable")},
    "by_number": {"kept": lambda order, k: np.sort(order[:, :k], axis=-1)},
    "nearest_alone": {"elected": lambda votes: votes[:, 0]},
    "largest_label_at_a_tie": {"elected": _last_elected},
    "labels_averaged": {"elected": lambda votes: votes.mean(axis=-1).round().astype(votes.dtype)},
}
