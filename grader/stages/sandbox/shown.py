"""Text from a learner's program to text that can be shown: no control, no hidden character, no address of an object."""

from __future__ import annotations

import re
import unicodedata

# Control, format (bidirectional overrides, zero-width), surrogates, private use, line and paragraph separators.
HIDDEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
ADDRESS = re.compile(r"\b0x[0-9a-f]{9,16}\b")


def plain(text: str) -> str:
    """Return `text` with what a terminal would act on or hide written out, and addresses, which differ from run to run, as 0x…"""
    if not text.isascii() or not text.isprintable():
        text = "".join(
            c if c in "\n\t" or unicodedata.category(c) not in HIDDEN else _escape(c)
            for c in text.replace("\r\n", "\n")
        )
    return ADDRESS.sub("0x…", text)


def _escape(character: str) -> str:
    number = ord(character)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
