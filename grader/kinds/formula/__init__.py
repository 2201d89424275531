"""Formulas as people write them (LaTeX, unicode, Python) in, what they are worth out: by value on random matrices, never by spelling."""

from __future__ import annotations

from grader.kinds.formula.tree import FormulaError, Node, Unreadable, WrongShape

__all__ = ["FormulaError", "Node", "Unreadable", "WrongShape"]
