"""A quiz in, proofs out: keys are what the reference gives, answers are judged as they should be, variants are fair."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from grader.author.calls import caller
from grader.author.draws import Template, freeze, templates
from grader.author.listings import listing_problems
from grader.author.proof import Proof
from grader.kinds.questions import CallReference, check_key
from grader.kinds.questions.predicting import Predict
from grader.model import AuthorError, GraderError, Message, Question, Quiz, message
from grader.stages.sheet import kind_of
from grader.stages.spec.variants import draws_file

VARIANTS = 200
"""How many draws of a question that varies are tried."""
MOST_ATTEMPTS = 4
"""Draws that are thrown away, for each that is fair: with more, the ranges are not what the author means."""

__all__ = ["caller", "verify_quiz"]


def verify_quiz(quiz: Quiz, call: CallReference, root: Path) -> Iterator[Proof]:
    """Yield the proofs of a quiz of the course in `root`."""
    claim = message("every key is what the reference or the code gives, every sample answer is judged as it should be")
    yield from _each(quiz, claim, lambda question: _key_problem(question, call))
    yield from _each(
        quiz, message("every question has a hint, an explanation, and an exercise to practise"), _unexplained
    )
    yield from _variants(quiz, call, root)


def _each(quiz: Quiz, claim: Message, problem_of: Callable[[Question], Message | None]) -> Iterator[Proof]:
    """Yield one proof for all questions, or one for each question that breaks the claim."""
    broken = [(question.id, why) for question in quiz.questions if (why := problem_of(question)) is not None]
    for name, why in broken:
        yield Proof(quiz.slug, claim, False, message("{question}: {why}", question=name, why=why))
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


def _unexplained(question: Question) -> Message | None:
    explained = question.explanation or kind_of(question).word == "text"  # its rubric and model answer say it all
    wanted = {"hints": question.hints, "explanation": explained, "practises": question.practises}
    missing = [name for name, there in wanted.items() if not there]
    return message("there is no {what}", what=missing[0]) if missing else None


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
        yield Proof(quiz.slug, claim, why is None, why)
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
