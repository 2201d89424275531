"""What a learner wrote in, numbers and words out: `1/√2`, `0.707`, `7.07e-1` and full-width digits are all read alike."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from grader.kinds import nearest
from grader.kinds.formula.spelling import plain
from grader.kinds.formula.tree import FormulaError
from grader.kinds.questions.asked import NotAnAnswer
from grader.model import Message, message

MAX_TEXT = 600
MAX_CELLS = 256
MAX_NESTING = 3
PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")
GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
LEADING = re.compile(r"^\s*(≈|≃|~|=|约等于|约|等于|about\b)\s*")
CONSTANTS = ("e", "pi", "π")


def text_of(raw: Any) -> str:
    """Return what a learner wrote as one text; raise NotAnAnswer where it is no text or an endless one."""
    if not isinstance(raw, str):
        raise NotAnAnswer(message("expected one line of text, got {got}", got=shown(raw)))
    if len(raw) > MAX_TEXT:
        raise NotAnAnswer(
            message("the answer is {length} characters long; at most {most} are read", length=len(raw), most=MAX_TEXT)
        )
    return raw.strip()


def shown(raw: Any, most: int = 60) -> str:
    """Return a raw answer as a message shows it: short, on one line."""
    if isinstance(raw, dict):
        raw = ", ".join(f"{key}: {shown(value)}" for key, value in list(raw.items())[:12])
    elif isinstance(raw, (list, tuple)):
        raw = "[" + ", ".join(shown(cell) for cell in raw[:12]) + "]"
    try:
        text = " ".join(str(raw).split())
    except ValueError:  # a whole number with more digits than Python writes out
        text = "9…9"
    return text if len(text) <= most else text[: most - 1] + "…"


def read_number(raw: Any) -> float:
    """Return the number that `raw` writes: a number, or a text such as `-0.5`, `1/√2`, `2^{-1/2}`, `e^0.25`, `28.4%`."""
    if isinstance(raw, (int, float)) and not isinstance(raw, bool):
        return _finite(raw)
    if isinstance(raw, str):
        text = LEADING.sub("", plain(text_of(raw))).strip()
        if text.endswith("%"):
            return read_number(text.removesuffix("%").removesuffix("\\")) / 100
        if PLAIN_NUMBER.fullmatch(text):
            return _finite(float(text))
        if GROUPED.fullmatch(text):
            return _finite(float(text.replace(",", "")))
        if DECIMAL_COMMA.fullmatch(text):
            raise NotAnAnswer(message("{got}: write a decimal point, not a comma", got=shown(raw)))
        return _computed(text)
    raise NotAnAnswer(message("expected a number, got {got}", got=shown(raw)))


def _finite(value: float) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise NotAnAnswer(message("{got} is not a finite number", got=shown(value)))
    return number


def _computed(text: str) -> float:
    from grader.kinds.formula.grammar import parse
    from grader.kinds.formula.values import number

    try:
        return number(parse(text, CONSTANTS, shown=()))
    except FormulaError as error:
        raise NotAnAnswer(message("{got} is not read as a number: {why}", got=shown(text), why=error.why)) from None


@dataclass(frozen=True)
class Grid:
    """Numbers and how they are arranged; None where a cell was left blank."""

    shape: tuple[int, ...]
    cells: tuple[float | None, ...]


def read_grid(raw: Any) -> Grid:
    """Return the vector or matrix that `raw` writes: nested lists, or a text like `0.7, 0, -0.7` or `[[1, 2], [3, 4]]`."""
    nested = nested_numbers(_matrix_text(text_of(raw)), 0) if isinstance(raw, str) else nested_numbers(raw, 0)
    if not isinstance(nested, list):
        nested = [nested]
    cells: list[float | None] = []
    return Grid(_collect(nested, cells), tuple(cells))


def nested_numbers(raw: Any, depth: int) -> Any:
    """Return nested lists of numbers, None for a blank cell."""
    if depth > MAX_NESTING:
        raise NotAnAnswer(message("brackets are nested more than {most} deep", most=MAX_NESTING))
    if isinstance(raw, (list, tuple)):
        if len(raw) > MAX_CELLS:
            raise NotAnAnswer(message("more than {most} numbers", most=MAX_CELLS))
        return [nested_numbers(cell, depth + 1) for cell in raw]
    if raw is None or (isinstance(raw, str) and raw.strip() in ("", "?", "_")):
        return None
    if isinstance(raw, str) and (pieces := _pieces(raw)):
        return nested_numbers(pieces, depth)
    return read_number(raw)


def _matrix_text(text: str) -> str:
    r"""Return the text with LaTeX and Python wrappings of a matrix taken off: `\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}`."""
    text = re.sub(r"^\s*[A-Za-z][\w']{0,20}\s*=", "", plain(text))
    text = re.sub(r"\\(begin|end)\s*\{[a-zA-Z]*matrix\}", "", text)
    text = re.sub(r"\\\\\s*$", "", text.strip()).replace("\\\\", ";").replace("&", ",")
    if wrapped := re.fullmatch(r"(?:(?:torch|np)\.)?(?:tensor|array)\((.*)\)", text, re.DOTALL):
        return wrapped.group(1)
    return text


def _pieces(text: str) -> list[str]:
    """Return the rows or cells of a text, nothing when it is one cell."""
    text = plain(text).strip()
    bare = _unwrapped(text)
    rows = split(bare, ";\n")
    if len(rows) > 1:
        return [f"[{row}]" for row in rows if row.strip()]
    cells = split(bare, ",")
    if len(cells) > 1:
        return cells
    words = bare.split()
    if len(words) > 1 and all(PLAIN_NUMBER.fullmatch(word) for word in words):
        return words
    return [bare] if bare != text and (text[0] == "[" or bare[:1] in ("[", "(")) else []


def _unwrapped(text: str) -> str:
    """Return what the brackets around a whole text hold."""
    if text[:1] not in ("[", "(", "{") or text[-1:] not in ("]", ")", "}"):
        return text
    depth = 0
    for place, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 and place < len(text) - 1:
            return text
    return text[1:-1].strip()


def split(text: str, separators: str) -> list[str]:
    """Return the pieces of a text between separators that lie outside all brackets."""
    pieces, depth = [""], 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if char in separators and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += char
    return pieces


def _collect(nested: Any, cells: list[float | None]) -> tuple[int, ...]:
    """Append the cells of nested lists and return their shape."""
    if not isinstance(nested, list):
        cells.append(nested)
        return ()
    shapes = {_collect(part, cells) for part in nested}
    if len(cells) > MAX_CELLS:
        raise NotAnAnswer(message("more than {most} numbers", most=MAX_CELLS))
    if len(shapes) > 1:
        raise NotAnAnswer(message("the rows are not equally long"))
    return (len(nested), *(shapes.pop() if shapes else ()))


def read_words(raw: Any, known: Iterable[str], separators: str = r"[\s,;>→/、，；]+") -> tuple[str, ...]:
    """Return the known words (letters of options, names of items) that `raw` lists, in its order.

    A text without separators may run one-letter words together, as in `ac`.
    """
    names = {name.casefold(): name for name in known}
    if isinstance(raw, (list, tuple)) and len(raw) <= MAX_CELLS:
        return tuple(read_word(word, names.values()) for word in raw)
    text = _unwrapped(plain(text_of(raw if isinstance(raw, str) else shown(raw))))
    words = [word for word in re.split(separators, text) if word]
    if len(words) == 1 and words[0].casefold() not in names and all(char.casefold() in names for char in words[0]):
        words = list(words[0])
    return tuple(read_word(word, names.values()) for word in words)


def read_word(raw: Any, known: Iterable[str]) -> str:
    """Return the known word that `raw` is, whatever its case; `b)` and `(b)` are `b`."""
    names = {name.casefold(): name for name in known}
    if isinstance(raw, bool) or not isinstance(raw, (str, int)):
        raise NotAnAnswer(_unknown(shown(raw), names.values()))
    text = plain(text_of(shown(raw))).strip("().[]'\"{} ").casefold()
    if text in names:
        return names[text]
    raise NotAnAnswer(_unknown(shown(raw), names.values()))


def _unknown(got: str, known: Iterable[str]) -> Message:
    listed = tuple(known)
    choices = ", ".join(listed)
    if (near := nearest(got, listed)) and len(near) > 1:
        return message("{got} is not one of {choices}; did you mean {near}?", got=got, choices=choices, near=near)
    return message("{got} is not one of {choices}", got=got or "''", choices=choices)


def fields(raw: Any, names: tuple[str, ...], read: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """Return the parts of an answer that has several: a mapping with these names, or one text that `read` takes apart."""
    if not isinstance(raw, dict):
        text = text_of(raw if isinstance(raw, str) else shown(raw))
        if not (braced := re.fullmatch(r"\{(.*:.*)\}", plain(text))):
            return read(text)
        pairs = (piece.partition(":") for piece in split(braced.group(1), ","))
        raw = {name.strip(): value.strip() for name, _, value in pairs}
    given: dict[str, Any] = raw
    for name in given:
        if name not in names:
            near = nearest(str(name), names)
            if near:
                raise NotAnAnswer(message("unknown part {got}; did you mean {near}?", got=shown(name), near=near))
            raise NotAnAnswer(
                message("unknown part {got}; the parts are {choices}", got=shown(name), choices=", ".join(names))
            )
    return given
