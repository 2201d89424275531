"""Attention Grader: exercises on Transformer attention that grade themselves and name the mistake."""

__version__ = "0.1.0"
