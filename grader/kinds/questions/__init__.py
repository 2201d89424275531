"""Question kinds: a question of a quiz file in, how it is asked and what an answer is worth out; one class a word."""

from __future__ import annotations

from grader.kinds.questions import (
    arranging,
    choosing,
    claims,
    formulas,
    free_text,
    lines,
    numeric,
    predicting,
    shapes,
    tables,
)
from grader.kinds.questions.asked import (
    QUESTIONS,
    Asked,
    CallReference,
    Form,
    Judgement,
    NoSuchCall,
    NotAnAnswer,
    Options,
    Samples,
    check_key,
)

WORDS = (choosing, claims, numeric, tables, shapes, predicting, formulas, arranging, lines, free_text)
"""The modules whose classes are the words: importing them is what fills QUESTIONS."""

__all__ = [
    "QUESTIONS",
    "Asked",
    "CallReference",
    "Form",
    "Judgement",
    "NoSuchCall",
    "NotAnAnswer",
    "Options",
    "Samples",
    "check_key",
]
