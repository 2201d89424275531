"""Text in, terminal lines out: wrapped and padded by the cells that characters take, and painted when colour is wanted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

CLOSING = "，。、；：？！）》」』”’…—"  # never begin a line
OPENING = "（《「『“‘"  # never end one
INK = re.compile(r"\x1b\[[0-9;]*m")
INKS = {"red": "31", "green": "32", "yellow": "33", "cyan": "36", "dim": "2", "bold": "1"}


def cells(text: str) -> int:
    """Return how many terminal cells the text takes: two for a wide character, none for a combining one or for our inks."""
    return sum(_cells(char) for char in (INK.sub("", text) if "\x1b" in text else text))


def _cells(char: str) -> int:
    if unicodedata.combining(char) or char in "\u200c\u200d\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Return the text filled with spaces to `width` cells, on the left when `right`."""
    fill = " " * (width - cells(text))
    return fill + text if right else text + fill


def paint(text: str, *inks: str) -> str:
    """Return the text in the given inks."""
    return f"\x1b[{';'.join(INKS[ink] for ink in inks)}m{text}\x1b[0m"


def wrap(text: str, width: int, first: str = "", rest: str | None = None) -> list[str]:
    """Break the text into lines of at most `width` cells; `first` begins the first line and `rest` the others."""
    rest = " " * cells(first) if rest is None else rest
    out: list[str] = []
    current, begin, empty = first, first, True
    for space, unit in _units(text, max(8, width - max(cells(first), cells(rest)))):
        if not empty and cells(current) + len(space) + cells(unit) > width:
            out.append(current)
            current, begin, empty = rest, rest, True
        current += unit if empty else space + unit
        empty = current == begin
    return [*out, current]


def _units(text: str, widest: int) -> Iterator[tuple[str, str]]:
    """Yield what must not be broken, with the space before it: words, single wide characters with their punctuation."""
    for space, word in re.findall(r"(\s*)(\S+)", text):
        between = " " if space else ""
        for unit in _parts(word):
            for piece in _cut(unit, widest):
                yield between, piece
                between = ""


def _parts(word: str) -> list[str]:
    parts: list[str] = []
    for char in word:
        wide = _cells(char) == 2
        glued = parts and (char in CLOSING or parts[-1][-1] in OPENING or not _cells(char))
        if parts and (glued or not (wide or _cells(parts[-1][-1]) == 2)):
            parts[-1] += char
        else:
            parts.append(char)
    return parts


def _cut(unit: str, widest: int) -> Iterator[str]:
    """Cut a word that is wider than a whole line."""
    piece = ""
    for char in unit:
        if piece and cells(piece) + _cells(char) > widest:
            yield piece
            piece = ""
        piece += char
    yield piece
