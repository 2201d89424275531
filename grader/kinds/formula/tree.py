"""What a formula is once it has been read: a small tree in which every node knows its column."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model import Message

MAX_DEPTH = 100  # of a tree: a sum of 100 terms, far more than anybody writes, far less than Python's own stack


class FormulaError(Exception):
    """A formula that cannot be used; `why` says what is wrong, and in which column where that is known."""

    def __init__(self, why: Message):
        super().__init__(why.template)
        self.why = why


class Unreadable(FormulaError):
    """The text is not a formula: malformed, not wrong."""


class WrongShape(FormulaError):
    """The text is a formula that cannot be computed: shapes that do not fit, a division by zero."""


@dataclass(frozen=True)
class Node:
    """One operation. `text` is the number, the symbol or the option that it carries; columns count from 1."""

    op: str
    column: int
    parts: tuple[Node, ...] = ()
    text: str = ""
    depth: int = 1
