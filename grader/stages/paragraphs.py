"""An author's text in, its paragraphs for a terminal or a comment out: prose flows, code keeps its lines, formulas become unicode."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from grader.kinds.formula.readable import readable

WIDE = "[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef“”]"
FENCE = re.compile(r"^(```|~~~)[^\n]*\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
INDENT = "    "


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, each on one line, and its fenced code, indented and line by line as it was written.

    In prose a line break is a space, and nothing beside a Chinese character.
    """
    return list(_parts(textwrap.dedent(text).strip()))


def is_code(paragraph: str) -> bool:
    """Whether a paragraph is code, whose lines must stay as they are."""
    return paragraph.startswith(INDENT)


def _parts(text: str) -> Iterator[str]:
    start = 0
    for fence in FENCE.finditer(text):
        yield from _prose(text[start : fence.start()])
        yield textwrap.indent(fence.group(2).rstrip("\n"), INDENT)
        start = fence.end()
    yield from _prose(text[start:])


def _prose(text: str) -> Iterator[str]:
    for part in re.split(r"\n\s*\n", text.strip()):
        if part:
            yield readable(re.sub(rf"(?<={WIDE})\n|\n(?={WIDE})", "", part).replace("\n", " "))
