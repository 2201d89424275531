"""What a proof is: one claim about an exercise or a quiz, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model import Message


@dataclass(frozen=True)
class Proof:
    """One claim about an exercise or a quiz, and whether it holds. `why` says what to do when it does not."""

    slug: str
    claim: Message
    holds: bool
    why: Message | None = None
