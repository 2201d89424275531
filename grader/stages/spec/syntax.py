"""A syntax error of PyYAML in, a problem that an author or learner can act on out."""

from __future__ import annotations

import re
from collections.abc import Callable

import yaml

from grader.model import Message, message
from grader.stages.spec.source import Place, Problem, clean

Explain = Callable[[re.Match[str], int], Message]
"""From the match with PyYAML's words, and the line where the unfinished thing began, to our words."""

# Matched in this order against "context; problem; at the character" of the error.
EXPLANATIONS: tuple[tuple[str, Explain], ...] = (
    (
        r"while parsing a flow .*; at \?$",  # allowed in YAML 1.2, but PyYAML takes it for a sign
        lambda _, __: message("text with `?` inside brackets: put it in quotes"),
    ),
    (
        r"quoted scalar; found unexpected (end of stream|document separator)",
        lambda _, line: message("the quotation mark of line {line} is never closed", line=line),
    ),
    (
        r"found unknown escape character '(.*)'",
        lambda found, _: message(
            "`\\{character}` means nothing in double quotes: use single quotes, or `|` and lines of their own",
            character=clean(found[1]),
        ),
    ),
    (
        r"found character '\\t'",
        lambda _, __: message("a tab character: indent with spaces"),
    ),
    (
        r"found character '(.*)' that cannot start any token",
        lambda found, _: message('text cannot start with "{character}": put it in quotes', character=clean(found[1])),
    ),
    (
        r"flow (sequence|mapping); expected ',' or '(.)'",
        lambda found, line: message(
            "expected `,` or `{bracket}`: the bracket of line {line} is not closed before this",
            bracket=found[2],
            line=line,
        ),
    ),
    (
        r"mapping values are not allowed here",
        lambda _, __: message("a `:` that cannot be here: put text with `: ` in quotes, and check the indentation"),
    ),
    (
        r"(sequence|block sequence) entries are not allowed here",
        lambda _, __: message("a `- ` that cannot be here: a list starts on a line of its own"),
    ),
    (
        r"expected <block end>",
        lambda _, line: message("this does not fit what began in line {line}: check indentation and quotes", line=line),
    ),
    (
        r"could not find expected ':'",
        lambda _, line: message("expected `key: value`, and found no `:` after the key of line {line}", line=line),
    ),
    (
        r"found undefined tag handle|while (scanning|parsing) a tag|while scanning an? tag",
        lambda _, __: message("tags are not allowed: put text that starts with `!` in quotes"),
    ),
    (
        r"expected alphabetic or numeric character",
        lambda _, __: message("text cannot start with `&` or `*`: put it in quotes"),
    ),
)


def explain_syntax(error: yaml.MarkedYAMLError) -> Problem:
    """Return the problem that stopped PyYAML, at its place."""
    place = _place(error.problem_mark or error.context_mark)
    began = _place(error.context_mark)[0] if error.context_mark else place[0]
    words = f"{error.context or ''}; {error.problem or ''}; at {_character(error.problem_mark)}"
    for pattern, explain in EXPLANATIONS:
        found = re.search(pattern, words)
        if found:
            return Problem(place, (), explain(found, began))
    return Problem(place, (), message("this is not valid YAML: {reason}", reason=error.problem or error.context or ""))


def _character(mark: yaml.Mark | None) -> str:
    return mark.buffer[mark.pointer] if mark and mark.buffer and mark.pointer < len(mark.buffer) else ""


def _place(mark: yaml.Mark | None) -> Place:
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)
