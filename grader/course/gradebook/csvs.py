"""Rows of texts and numbers in, CSV out that no spreadsheet runs as a program."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

NUMBER = re.compile(r"-?\d+(\.\d+)?")
STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "|", "＝", "＋", "－", "＠")


def cell(value: object) -> str:
    """Return one cell: what a spreadsheet would take for a formula gets an apostrophe in front, line breaks become spaces."""
    text = "" if value is None else value if isinstance(value, str) else number(value)
    text = "".join(" " if char in "\r\n\t\v\f\0\u2028\u2029" else char for char in text)
    starts = text.lstrip().startswith(STARTS_FORMULA) or (isinstance(value, str) and value.startswith(("\t", "\r")))
    return f"'{text}" if starts and not NUMBER.fullmatch(text) else text


def number(value: object, digits: int = 4) -> str:
    """Return a number without an exponent, a thousands separator or noise."""
    if not isinstance(value, (int, float)):
        return str(value)
    return f"{value:.{digits}f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def csv_text(rows: Iterable[Sequence[object]], delimiter: str = ",") -> str:
    """Return the rows as CSV with the line ends of RFC 4180."""
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerows(
        [cell(value) for value in row] for row in rows
    )
    return out.getvalue()
