"""The hidden answers: `FUNCTIONS` by name, each of them made of `steps`, and the `MISTAKES` that replace steps.

Loaded by path from a course folder, never installed, never in reach of a learner's process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .attention import attention, causal_attention, scale_scores
from .blocks import FUNCTIONS as BLOCKS
from .extras import FUNCTIONS as EXTRAS
from .heads import FUNCTIONS as HEADS
from .masking import FUNCTIONS as MASKING
from .masks import causal_mask
from .mistakes import MISTAKES
from .models import FUNCTIONS as MODELS
from .modules import FUNCTIONS as MODULES
from .neighbours import FUNCTIONS as NEIGHBOURS
from .positions import FUNCTIONS as POSITIONS
from .shapes import output_shapes
from .similarity import FUNCTIONS as SIMILARITY
from .steps import CORRECT, NotApplicable, Sizes, Steps
from .windows import FUNCTIONS as WINDOWS

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "scale_scores": scale_scores,
    "causal_mask": causal_mask,
    "output_shapes": output_shapes,
    "attention": attention,
    "causal_attention": causal_attention,
    **SIMILARITY,
    **NEIGHBOURS,
    **POSITIONS,
    **BLOCKS,
    **MODULES,
    **WINDOWS,
    **EXTRAS,
    **MASKING,
    **HEADS,
    **MODELS,
}

__all__ = ["CORRECT", "FUNCTIONS", "MISTAKES", "NotApplicable", "Sizes", "Steps"]
