"""A quiz in, proofs out: keys are what the reference gives, answers are judged as they should be, variants are fair."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path

from grader.author.calls import caller
from grader.author.draws import Template, freeze, templates
from grader.author.listings import listing_problems
from grader.author.proof import Proof
from grader.kinds.questions import CallReference, check_key
from grader.kinds.questions.predicting import Predict
from grader.model import AuthorError, GraderError, Message, Question, Quiz, message
from grader.stages.sheet import kind_of
from grader.stages.spec.source import or_near
from grader.stages.spec.variants import draws_file

VARIANTS = 200
"""How many draws of a question that varies are tried."""
MOST_ATTEMPTS = 4
"""Draws that are thrown away, for each that is fair: with more, the ranges are not what the author means."""

__all__ = ["caller", "verify_quiz"]


def verify_quiz(
    quiz: Quiz, call: CallReference, root: Path, *, exercises: Collection[str] | None = None
) -> Iterator[Proof]:
    """Yield the proofs of a quiz of the course in `root`, whose `exercises` are there to practise where they are known."""
    claim = message("every key is what the reference or the code gives, every sample answer is judged as it should be")
    yield from _each(quiz, claim, lambda question: _key_problem(question, call))
    claim = message("every question has a hint and an explanation")
    if exercises is None or exercises:
        claim = message("every question has a hint, an explanation, and an exercise to practise")
    yield from _each(quiz, claim, partial(_unexplained, exercises=exercises))
    yield from _variants(quiz, call, root)


def _each(quiz: Quiz, claim: Message, problem_of: Callable[[Question], Message | None]) -> Iterator[Proof]:
    """Yield one proof for all questions, or one for each question that breaks the claim."""
    told = [(at, question.id, problem_of(question)) for at, question in enumerate(quiz.questions)]
    broken = [(at, name, why) for at, name, why in told if why is not None]
    for at, name, why in broken:
        yield Proof(
            quiz.slug, claim, False, message("{question}: {why}", question=name, why=why), ("questions", at, "id")
        )
    if not broken:
        yield Proof(quiz.slug, claim, True)


def _key_problem(question: Question, call: CallReference) -> Message | None:
    spec = kind_of(question)
    if not spec.has_key:
        return None  # a graded quiz as learners have it
    problems = check_key(spec, call)
    if isinstance(spec, Predict):
        problems += listing_problems(spec)
    return problems[0] if problems else None


def _unexplained(question: Question, *, exercises: Collection[str] | None) -> Message | None:
    explained = question.explanation or kind_of(question).word == "text"  # its rubric and model answer say it all
    practised = question.practises or (exercises is not None and not exercises)
    wanted = {"hints": question.hints, "explanation": explained, "practises": practised}
    missing = [name for name, there in wanted.items() if not there]
    if missing:
        return message("there is no {what}", what=missing[0])
    if question.practises and exercises and question.practises not in exercises:
        what = message("the course has no exercise `{slug}`", slug=question.practises)
        return or_near(what, question.practises, exercises)
    return None


def _variants(quiz: Quiz, call: CallReference, root: Path) -> Iterator[Proof]:
    """Yield what shows that questions which vary are the same question with other numbers."""
    if not any(question.draws for question in quiz.questions):
        return
    path = root / quiz.file
    for template in templates(path):
        claim = message(
            "{question}: {n} variants have one key, no wrong answer that equals it, and the stated difficulty",
            question=template.id,
            n=VARIANTS,
        )
        why = _unfair(template, call)
        at = next(i for i, question in enumerate(quiz.questions) if question.id == template.id)
        yield Proof(quiz.slug, claim, why is None, why, ("questions", at, "varies"))
    yield Proof(quiz.slug, message("the frozen draws are those of the reference"), *_in_step(path, call))


def _unfair(template: Template, call: CallReference) -> Message | None:
    try:
        attempts = sum(template.draw(number, call)[1] for number in range(VARIANTS))
    except GraderError as error:
        return message("{what}", what=str(error))
    if attempts > MOST_ATTEMPTS * VARIANTS:
        return message("{attempts} draws were needed: narrow the ranges", attempts=attempts)
    return None


def _in_step(path: Path, call: CallReference) -> tuple[bool, Message | None]:
    try:
        made, kept = freeze(path, call) or "{}", draws_file(path).read_text(encoding="utf-8")
    except (GraderError, AuthorError, OSError) as error:
        return False, message("{what}", what=str(error))
    if json.loads(made) == json.loads(kept):
        return True, None
    return False, message("grader author freeze {file}", file=path.name)
