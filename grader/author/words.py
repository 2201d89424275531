"""The vocabularies in, tables of their words out: what may stand in YAML and on the command line, with options and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any

from grader.author.examples import EXAMPLES
from grader.kinds.checks import CHECKS
from grader.kinds.inputs import INPUTS
from grader.kinds.kind import Kind
from grader.kinds.questions import QUESTIONS
from grader.kinds.reports import REPORTS

VOCABULARIES: Mapping[str, Mapping[str, Any]] = {
    "inputs": INPUTS,
    "checks": CHECKS,
    "questions": QUESTIONS,
    "reports": REPORTS,
}
BEGIN, END = "<!-- words: {sort} -->", "<!-- end of words -->"


def table(sort: str) -> str:
    """Return the words of one vocabulary as a Markdown table."""
    rows = [f"| `{word}` | {_options(word, thing)} | {_help(thing)} |" for word, thing in VOCABULARIES[sort].items()]
    return "\n".join(["| word | options | what it is |", "| --- | --- | --- |", *rows]) + "\n"


def described(sort: str, word: str) -> str:
    """Return all that there is to say of one word: its docstring, its keys, and an example of it in use."""
    thing = VOCABULARIES[sort][word]
    rows = [word, *_indented(inspect.cleandoc(thing.__doc__ or ""))]
    if isinstance(thing, type) and issubclass(thing, Kind):
        rows += ["", *(f"  {row}" for row in _keys(thing))]
    example = EXAMPLES[sort].get(word)
    if example:
        rows += ["", *_indented(example.rstrip("\n"), "    ")]
    return "\n".join(rows) + "\n"


def _indented(text: str, by: str = "  ") -> list[str]:
    return [f"{by}{line}".rstrip() for line in text.splitlines()]


def _keys(kind: type[Kind]) -> Iterator[str]:
    """Yield each key of a word with its default and its description."""
    for name, field in kind.model_fields.items():
        default = "" if field.is_required() else f" ({field.get_default(call_default_factory=True)!r})"
        told = f": {field.description}" if field.description else ""
        yield f"{field.alias or name}{default}{told}"


def with_words(text: str) -> str:
    """Return a Markdown text with every table between its marks brought up to date."""

    def renewed(found: re.Match[str]) -> str:
        sort = found[1]
        return f"{BEGIN.format(sort=sort)}\n{table(sort)}{END}"

    return re.sub(r"<!-- words: (\w+) -->\n.*?" + re.escape(END), renewed, text, flags=re.DOTALL)


def _help(thing: Any) -> str:
    """The first sentence or two of a docstring, on one line."""
    paragraph = inspect.cleandoc(thing.__doc__ or "").split("\n\n")[0]
    return " ".join(paragraph.split()).replace("|", "\\|")


def _options(word: str, thing: Any) -> str:
    """The further keys of a word with their defaults; an option without one is required."""
    if not (isinstance(thing, type) and issubclass(thing, Kind)):
        return ""
    shown = []
    for name, field in thing.model_fields.items():
        key = field.alias or name
        if key == word:
            continue
        default = "" if field.is_required() else f": {field.get_default(call_default_factory=True)!r}"
        shown.append(f"`{key}{default}`" if len(default) < 24 else f"`{key}`")
    return ", ".join(shown).replace("|", "\\|")
