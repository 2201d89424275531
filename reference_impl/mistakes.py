"""Every known mistake: its id, and the steps that it replaces.

`replace(CORRECT, **MISTAKES[id])` computes what a learner gets. What is said about a mistake lies in `mistakes.yaml`,
under the same id, so that a learner's copy can carry texts without steps. To add one: a function beside its likes, a
line in their dict, a text, and a sample in `tests/submissions/wrong`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import (
    mistakes_in_blocks,
    mistakes_in_extras,
    mistakes_in_heads,
    mistakes_in_masking,
    mistakes_in_masks,
    mistakes_in_models,
    mistakes_in_modules,
    mistakes_in_positions,
    mistakes_in_results,
    mistakes_in_scores,
    mistakes_in_shapes,
    mistakes_in_similarity,
    mistakes_in_weights,
    mistakes_in_windows,
)

MISTAKES: dict[str, dict[str, Callable[..., Any]]] = {
    **mistakes_in_scores.MISTAKES,
    **mistakes_in_weights.MISTAKES,
    **mistakes_in_masks.MISTAKES,
    **mistakes_in_results.MISTAKES,
    **mistakes_in_shapes.MISTAKES,
    **mistakes_in_similarity.MISTAKES,
    **mistakes_in_positions.MISTAKES,
    **mistakes_in_blocks.MISTAKES,
    **mistakes_in_modules.MISTAKES,
    **mistakes_in_windows.MISTAKES,
    **mistakes_in_extras.MISTAKES,
    **mistakes_in_masking.MISTAKES,
    **mistakes_in_heads.MISTAKES,
    **mistakes_in_models.MISTAKES,
}
