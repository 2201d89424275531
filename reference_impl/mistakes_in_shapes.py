"""Wrong ways to reason about shapes: wrong ones come out, or no error where query, key and value do not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .steps import Shape, enough_axes, equal_features, one_value_a_key

Fit = Callable[[Shape, Shape, Shape], None]


def only(*checks: Fit) -> Fit:
    """Return a `fit` step that makes these checks and no others."""

    def partly(q_shape: Shape, k_shape: Shape, v_shape: Shape) -> None:
        for check in checks:
            check(q_shape, k_shape, v_shape)

    return partly


def leading_axes_joined_early(q_leading: Shape, k_leading: Shape, v_leading: Shape) -> tuple[Shape, Shape]:
    """Broadcast all three at once, so that leading axes of the values reach the scores."""
    joined = np.broadcast_shapes(q_leading, k_leading, v_leading)
    return joined, joined


MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    "feature_axis_kept": {"score_axes": lambda sizes: (sizes.of("n_q"), sizes.of("d_k"))},
    "leading_axes_dropped": {"leading": lambda q_leading, k_leading, v_leading: ((), ())},
    "leading_axes_of_query": {"leading": lambda q_leading, k_leading, v_leading: (q_leading, q_leading)},
    "leading_axes_joined_early": {"leading": leading_axes_joined_early},
    "d_k_not_checked": {"fit": only(enough_axes, one_value_a_key)},
    "n_k_not_checked": {"fit": only(enough_axes, equal_features)},
    "rank_not_checked": {"fit": only(equal_features, one_value_a_key)},
    "nothing_checked": {"fit": only()},
}
