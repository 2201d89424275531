"""What a person gave for free-text answers, put into the results: their points count from then on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from math import fsum
from typing import Any

from grader.course.store.codec import dumps
from grader.model import Outcome, Response, Result, Verdict, message

Marks = Mapping[tuple[str, str, str, str], tuple[float, float, str]]
"""(points, maximum, note) by (learner, slug, question, digest of the answer)."""


def answer_digest(answer: Any) -> str:
    """Return a digest of a raw answer: a mark belongs to an answer, and another one waits anew."""
    return hashlib.sha256(dumps(answer).encode()).hexdigest()[:24]


def with_marks(result: Result, response: Response, learner: str, marks: Marks) -> Result:
    """Return the result of a quiz with what persons gave for the answers that waited for them."""
    waiting = {o.case for o in result.outcomes if o.verdict is Verdict.NOT_JUDGED}
    if not waiting:
        return result
    outcomes, added = [], []
    for outcome in result.outcomes:
        key = (learner, result.slug, outcome.case, answer_digest(response.answers.get(outcome.case)))
        if outcome.case in waiting and key in marks:
            outcome = _marked(outcome, *marks[key])
            added.append((outcome.points, outcome.max_points))
        outcomes.append(outcome)
    score = result.score + fsum(points for points, _ in added)
    maximum = result.max_score + fsum(most for _, most in added)
    judged = result.verdict is Verdict.NOT_JUDGED and added
    verdict = (Verdict.PASSED if score >= maximum - 1e-9 else Verdict.FAILED) if judged else result.verdict
    if verdict is Verdict.PASSED and score < maximum - 1e-9:
        verdict = Verdict.FAILED
    return replace(result, outcomes=tuple(outcomes), score=score, max_score=maximum, verdict=verdict)


def waiting(result: Result) -> int:
    """Return how many answers still wait for a person."""
    return sum(outcome.verdict is Verdict.NOT_JUDGED for outcome in result.outcomes)


def _marked(outcome: Outcome, points: float, most: float, note: str) -> Outcome:
    verdict = Verdict.PASSED if points >= most - 1e-9 else Verdict.FAILED
    if note:
        told = message(
            "read by a person: {points} of {most}. {note}", points=f"{points:g}", most=f"{most:g}", note=note
        )
    else:
        told = message("read by a person: {points} of {most}", points=f"{points:g}", most=f"{most:g}")
    return replace(outcome, verdict=verdict, points=points, max_points=most, message=told)
