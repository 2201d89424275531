"""A quiz whose questions vary and the number of a draw in, the quiz with the numbers of that draw out."""

from __future__ import annotations

import secrets
from dataclasses import replace

from grader.kinds.drawn import DRAWS
from grader.model import Question, Quiz


def varies(quiz: Quiz) -> bool:
    """Whether any question of the quiz has other numbers from learner to learner."""
    return any(question.draws for question in quiz.questions)


def any_draw(quiz: Quiz) -> int:
    """Return the number of a draw by chance, 0 where nothing varies: a fresh sheet gets one, and keeps it."""
    return secrets.randbelow(DRAWS) if varies(quiz) else 0


def drawn(quiz: Quiz, number: int) -> Quiz:
    """Return the quiz with every question that varies as draw `number` has it; numbers beyond the last begin anew."""
    if not varies(quiz):
        return quiz
    return replace(quiz, questions=tuple(_drawn(question, number) for question in quiz.questions))


def _drawn(question: Question, number: int) -> Question:
    if not question.draws:
        return question
    return replace(question.draws[number % len(question.draws)], draws=question.draws)
