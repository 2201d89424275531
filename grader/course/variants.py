"""A secret, a learner and a graded quiz in, the learner's own draw of its numbers out: the same one each time, and nobody else can tell it.

The draw goes into the answers that are stored, so that a regrade judges by the same numbers, secret or not.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from grader.course.downloads import Piece
from grader.course.policy import Policy
from grader.course.secrets import secret_at
from grader.kinds.drawn import DRAWS
from grader.model import Course, Message, Quiz, Response, Result, message
from grader.stages.draws import varies


class NoSecret(Exception):
    """The policy gives learners numbers of their own, and the secret for that is not here; `why` says where it should be."""

    def __init__(self, why: Message):
        super().__init__(why.template)
        self.why = why


def variant_secret(policy: Policy, root: Path, environ: Mapping[str, str]) -> bytes | None:
    """Return the secret that the policy names, None where it names none; raise NoSecret where that is empty or not there."""
    if policy.variants is None:
        return None
    if secret := secret_at(policy.variants, root, environ).strip():
        return secret
    kind, _, name = policy.variants.partition(":")
    what = (
        message("the environment variable {name}", name=name) if kind == "env" else message("{name}", name=root / name)
    )
    raise NoSecret(
        message(
            "course.yaml: policy.variants: {what} is not here, or empty. It has to be what the sheets were written with.",
            what=what,
        )
    )


def draw_of(secret: bytes, learner: str, quiz: str) -> int:
    """Return the number of a learner's draw: HMAC-SHA256 of quiz and learner, as one of the draws that are frozen."""
    digest = hmac.digest(secret, json.dumps(["variant", quiz, learner]).encode(), "sha256")
    return int.from_bytes(digest[:8], "big") % DRAWS


def has_variants(quiz: Quiz) -> bool:
    """Whether learners get numbers of their own: practice quizzes are drawn by chance instead, as often as one likes."""
    return quiz.graded and varies(quiz)


def own_numbers(course: Course, secret: bytes | None) -> Callable[[str, Piece], Piece]:
    """Return what gives an answer sheet the draw of its learner, whatever the sheet says."""

    def own(learner: str, piece: Piece) -> Piece:
        given = piece.given
        if secret is None or not isinstance(given, Response) or not has_variants(course.quizzes[piece.slug]):
            return piece
        draw = draw_of(secret, learner, piece.slug)
        other = None if given.draw == draw else given.draw
        return replace(piece, given=replace(given, draw=draw, sheet_draw=other))

    return own


def told_of_draw(result: Result, given: Response) -> Result:
    """Return the result of a sheet; where it was written for other numbers than the learner's, that is said first."""
    if given.sheet_draw is None:
        return result
    told = message(
        "This sheet has the numbers of draw {sheet}, yours are those of draw {own}: your answers were judged by yours.",
        sheet=given.sheet_draw,
        own=given.draw,
    )
    return replace(result, details=(told, *result.details))
