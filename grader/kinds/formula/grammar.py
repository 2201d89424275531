r"""A formula's text in, its tree out: one LALR grammar for LaTeX, unicode and Python spellings.

The terminal SYMBOL is made from the names that the question declares. What only lays a formula out (`\left`, `\,`, `$`) is skipped by the
lexer, so that columns are those of the text as it was written. Two symbols side by side are multiplied.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.kinds import nearest
from grader.kinds.formula.spelling import plain, symbol_pattern
from grader.kinds.formula.tree import MAX_DEPTH, Node, Unreadable
from grader.model import message

if TYPE_CHECKING:
    from lark import Lark

MAX_LENGTH = 600
MAX_BRACKETS = 40

GRAMMAR = Path(__file__).with_name("formula.lark")

SHOWN = {
    "RPAR": "')'",
    "LPAR": "'('",
    "RBRACE": "'}'",
    "LBRACE": "'{'",
    "RSQB": "']'",
    "PLUS": "'+'",
    "MINUS": "'-'",
    "SLASH": "'/'",
}
CLOSING = ("')'", "']'", "'}'")
WORDS = ("softmax", "sqrt", "frac", "exp", "log", "transpose", "matmul", "cdot", "text", "mathrm", "left", "right")


def parse(text: str, names: tuple[str, ...], shown: tuple[str, ...] | None = None) -> Node:
    """Return the tree of a formula in which `names` are the symbols; messages list those in `shown` (all where it is None).

    Raises:
        Unreadable: the text is empty, too long, nested too deeply, or not a formula of these symbols.
    """
    if len(text) > MAX_LENGTH:
        raise Unreadable(
            message(
                "the formula is {length} characters long; at most {most} are read", length=len(text), most=MAX_LENGTH
            )
        )
    written = plain(text)
    if not written.strip():
        raise Unreadable(message("the formula is empty"))
    if _brackets(written) > MAX_BRACKETS:
        raise Unreadable(message("brackets are nested more than {most} deep", most=MAX_BRACKETS))
    return _parsed(written, names, names if shown is None else shown)


def _brackets(text: str) -> int:
    """Return how deep the brackets of a text are nested."""
    depth = deepest = 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        deepest = max(deepest, depth)
    return deepest


def _parsed(written: str, names: tuple[str, ...], shown: tuple[str, ...]) -> Node:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    try:
        tree: Any = parser(names).parse(written)
    except UnexpectedCharacters as error:
        raise unknown(written, error.pos_in_stream or 0, names, shown) from None
    except UnexpectedToken as error:
        expected = {SHOWN[name] for name in error.accepts or error.expected if name in SHOWN}
        raise unexpected(error.token, len(written), sorted(expected)) from None
    return tree if isinstance(tree, Node) else Node("nothing", 1)


@lru_cache(32)
def parser(names: tuple[str, ...]) -> Lark:
    """Return the parser for formulas in these symbols; building one takes some ten milliseconds."""
    from lark import Lark, Token, Transformer, v_args
    from lark.tree import Meta

    class ToNodes(Transformer[Token, Node]):
        """Builds our nodes while parsing, so that the depth is limited before anything walks the tree."""

        @v_args(inline=True)
        def start(self, *parts: Node) -> Node:
            return parts[-1]

        def __default__(self, data: str, children: list[Any], meta: Meta) -> Node:
            return _node(str(data), children)

    grammar = GRAMMAR.read_text(encoding="utf-8").replace("@@SYMBOL@@", symbol_pattern(names).replace("/", r"\/"))
    return Lark(grammar, parser="lalr", maybe_placeholders=False, transformer=ToNodes())


def _node(op: str, children: list[Any]) -> Node:
    parts = tuple(child for child in children if isinstance(child, Node))
    words = [child for child in children if not isinstance(child, Node)]
    depth = 1 + max((part.depth for part in parts), default=0)
    if depth > MAX_DEPTH:
        raise Unreadable(message("the formula has more than {most} operations one inside the other", most=MAX_DEPTH))
    column = min(child.column for child in children)
    return Node(op, column, parts, " ".join(str(word) for word in words), depth)


def unexpected(token: Any, length: int, expected: list[str]) -> Unreadable:
    """Return what to say of a token that cannot stand where it stands."""
    ends = token.type == "$END"
    column = length + 1 if ends else token.column
    closing = [shown for shown in expected if shown in CLOSING]
    if ends and closing:
        return Unreadable(message("the formula ends too early: {expected} is missing", expected=closing[0]))
    if ends:
        return Unreadable(message("the formula ends too early: something is missing at the end"))
    if expected:
        choices = ", ".join(expected)
        return Unreadable(
            message(
                "column {column}: {got} cannot stand here; possible: {expected}",
                column=column,
                got=repr(str(token)),
                expected=choices,
            )
        )
    return Unreadable(message("column {column}: {got} cannot stand here", column=column, got=repr(str(token))))


def unknown(text: str, position: int, names: tuple[str, ...], shown: tuple[str, ...]) -> Unreadable:
    """Return what to say of a word or a character that no formula of these symbols has."""
    start = position
    while start and text[position : position + 1].isalpha() and text[start - 1].isascii() and text[start - 1].isalpha():
        start -= 1
    found = re.match(r"\\?[A-Za-z][A-Za-z_]*|\\.|.", text[start : start + 30], re.DOTALL)
    word = found.group() if found else text[position : position + 1]
    if near := nearest(word.lstrip("\\"), (*names, *WORDS)):
        return Unreadable(
            message(
                "column {column}: unknown {got}; did you mean {near}?",
                column=start + 1,
                got=repr(word),
                near=repr(near),
            )
        )
    if not shown:
        return Unreadable(message("column {column}: unknown {got}", column=start + 1, got=repr(word)))
    return Unreadable(
        message(
            "column {column}: unknown {got}; the symbols are {symbols}",
            column=start + 1,
            got=repr(word),
            symbols=", ".join(shown),
        )
    )
