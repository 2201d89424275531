"""An answer in somebody's own words and phrases to look for in, which of them it asserts out: hints for a reader, never marks.

Clauses are read one by one. What is only supposed ("if one masked after softmax …"), quoted, or denied is not asserted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

QUOTED = re.compile(r"[\"“「『][^\"”」』]{0,400}[\"”」』]")
CLAUSE = re.compile(r"[.;!?。；！？\n]|,(?!\d)|，|：|:(?=\s)")
SUPPOSED = re.compile(
    r"^\W*(?:(?:but|and|since|because|while|但|而)\s*)?"
    r"(?:if|when|were|had|suppose|supposing|imagine|otherwise|somebody|someone|people|如果|若|假如|假设|要是|否则|倘若|反之|有人|当)"
)
CONCLUDES = re.compile(r"\b(?:so|therefore|thus|hence|must|should|has to|have to)\b|所以|因此|必须|应该|应当|故")
DENIED = re.compile(
    r"(?:\b(?:not|never|no|without|than|instead of|nor|cannot|isn't|don't|doesn't|can't|shouldn't)\b[^,;.]{0,24}"
    r"|(?:不|没|无|别|并非|而不是|而非|不是|不要|不能|不应|不该)[^，。；]{0,6})$"
)
LOOK_BACK = 40


def asserted(text: str, phrases: Sequence[str]) -> str | None:
    """Return the first of the phrases that the text asserts, None where it asserts none of them.

    `…` in a phrase stands for a few words; `^` at its beginning means that the text begins with it, `$` that the clause ends with it.
    """
    clauses = list(_clauses(text))
    return next((phrase for phrase in phrases if any(_asserts(clause, phrase, at) for at, clause in clauses)), None)


def _clauses(text: str) -> Iterator[tuple[int, str]]:
    """Yield each clause that is more than a supposition, with its number."""
    supposed = False
    plain = unicodedata.normalize("NFKC", QUOTED.sub(" ", text)).replace("−", "-").casefold()
    for number, clause in enumerate(part for part in CLAUSE.split(plain) if part.strip()):
        begins = bool(SUPPOSED.search(clause))
        supposed = begins or (supposed and not CONCLUDES.search(clause))
        if not supposed:
            yield number, clause.strip()


def _asserts(clause: str, phrase: str, number: int) -> bool:
    found = _pattern(phrase.removeprefix("^").removesuffix("$")).search(clause)
    if found is None or (phrase.startswith("^") and (number or found.start())):
        return False
    if phrase.endswith("$") and found.end() < len(clause.rstrip()):
        return False
    return not DENIED.search(clause[max(0, found.start() - LOOK_BACK) : found.start()])


@lru_cache(256)
def _pattern(phrase: str) -> re.Pattern[str]:
    """Return the phrase as a pattern: whole words, any space between them, a few words for `…`."""
    plain = unicodedata.normalize("NFKC", phrase).replace("...", "…").casefold()
    pieces = [r"\s*".join(map(re.escape, piece.split())) for piece in plain.split("…")]
    before = r"\b" if plain[:1].isascii() and plain[:1].isalnum() else ""
    after = r"\b" if plain[-1:].isascii() and plain[-1:].isalnum() else ""
    return re.compile(before + r"[^.;,，。；]{0,40}?".join(pieces) + after)
