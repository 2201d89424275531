"""Attention Grader: exercises on Transformer attention that grade themselves and name the mistake."""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Give `check` when it is asked for, so that importing the package costs nothing."""
    if name == "check":
        import importlib

        return importlib.import_module("grader.interactive").check
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
