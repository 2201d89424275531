"""Any text in, a harmless text out: what a terminal, a browser or a build log would act on is shown instead.

Learner text (names, exceptions, prints, file names, answers) reaches a report only through this module.
"""

from __future__ import annotations

import re
import unicodedata

UNSEEN = {
    "Cc",
    "Cf",
    "Cs",
    "Zl",
    "Zp",
}  # controls, formats (bidi among them), surrogates, line and paragraph separators
JOINERS = "\u200c\u200d"  # needed inside words and emoji
COMMAND = re.compile(r"^((?:\s|\x1b\[[0-9;]*m)*)::", re.MULTILINE)
MARKED = re.compile(r"##(\w*)\[")  # ##[group] of GitHub and Azure, ##vso[ of Azure, ##teamcity[
LONGEST = 600  # characters of one line


def shown(char: str) -> str:
    """Return the character, or its Python escape where it cannot be seen: `\\x1b`, `\\u202e`."""
    code = ord(char)
    if char in JOINERS or (unicodedata.category(char) not in UNSEEN and not _is_none(code)):
        return char
    return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char) or (
        f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    )


def _is_none(code: int) -> bool:
    """Whether Unicode says that this is no character; two of these are illegal in XML."""
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def line(text: str, longest: int = LONGEST) -> str:
    """Return one line: line breaks are shown as `\\n`, and what is beyond `longest` characters is cut and counted."""
    head = "".join(shown(c) for c in text[:longest])
    return f"{head}… (+{len(text) - longest})" if len(text) > longest else head


def lines(text: str, most: int = 1000, longest: int = LONGEST) -> list[str]:
    """Return the text line by line, each made harmless; tabs become spaces. At most `most` lines of `longest` characters."""
    broken = text.replace("\r\n", "\n").split("\n", most)
    return [line(part.expandtabs(4), longest) for part in broken[:most]]


def unmarked(text: str, colon: str = "\\x3a", bracket: str = "\\x5b") -> str:
    """Return rendered text in which nothing is a workflow command of a build log (`::error …`, `##[group]`)."""
    text = COMMAND.sub(lambda found: f"{found[1]}{colon}:", text)
    return MARKED.sub(lambda found: f"##{found[1]}{bracket}", text)
