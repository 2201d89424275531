"""A graded class in, the answers that wait for a person out, question by question: what was asked, what to look for, what was written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from grader.course.gradebook import Book
from grader.course.marks import answer_digest
from grader.course.store import Store
from grader.course.store.codec import loads
from grader.model import Question, Response, Result, Sayable, Text, Verdict
from grader.stages.draws import drawn


@dataclass(frozen=True)
class Waiting:
    """One answer. `rubric` is what a good one says, `flags` is what this one asserts and should not."""

    learner: str
    slug: str
    question: Question
    answer: Any
    digest: str
    rubric: tuple[Text, ...]
    model_answer: Text | None
    flags: tuple[Sayable, ...]
    points: float | None = None  # what it has been given before

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.learner, self.slug, self.question.id, self.digest


def queue(store: Store, book: Book) -> list[Waiting]:
    """Return every answer for a person to read, those to one question together, each answer of a learner once."""
    marks = store.marks()
    found: dict[tuple[str, str, str, str], Waiting] = {}
    for attempt in store.attempts():
        for record in store.records(attempt.id):
            if record.kind == "quiz" and record.slug in book.wanted.quizzes:
                for waiting in _waiting(book, attempt.learner, loads(record.result), loads(record.given)):
                    given = marks.get(waiting.key)
                    found[waiting.key] = waiting if given is None else _given(waiting, given[0])
    order = {slug: at for at, slug in enumerate(book.wanted.quizzes)}
    places = {(s, q.id): at for s in order for at, q in enumerate(book.course.quizzes[s].questions)}
    return sorted(
        found.values(), key=lambda w: (order[w.slug], places.get((w.slug, w.question.id), 0), w.digest, w.learner)
    )


def _waiting(book: Book, learner: str, result: Result, response: Response) -> Iterator[Waiting]:
    quiz = drawn(book.course.quizzes[result.slug], response.draw)
    questions = {question.id: question for question in quiz.questions}
    for outcome in result.outcomes:
        if outcome.verdict is not Verdict.NOT_JUDGED or outcome.case not in questions:
            continue
        question, answer = questions[outcome.case], response.answers.get(outcome.case)
        rubric = tuple(getattr(question.spec, "rubric", ()))
        model_answer = getattr(question.spec, "model_answer", None)
        yield Waiting(
            learner, result.slug, question, answer, answer_digest(answer), rubric, model_answer, outcome.flags
        )


def _given(waiting: Waiting, points: float) -> Waiting:
    return replace(waiting, points=points)


def points_of(key: str, most: float) -> float | None:
    """Return the points that a digit stands for: that many where the question has at most nine, else that many tenths; None for no digit.

    `f` is all of them.
    """
    if key in ("f", "F"):
        return most
    if not (len(key) == 1 and key.isascii() and key.isdigit()):
        return None
    points = float(key) if most <= 9 else most * int(key) / 10
    return points if points <= most else None
