"""The name of a template and its fields in, the file out: scripts, workflows and texts of a release, with `@NAME@` filled in."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

import grader

FOLDER = Path(grader.__file__).resolve().parent / "templates" / "release"


BLOCK = re.compile(r"^@if (\w+)@\n(.*?)^@end@\n", re.DOTALL | re.MULTILINE)


def filled(name: str, has: Collection[str] = (), **fields: str) -> bytes:
    """Return the template with each `@FIELD@` replaced; lines from `@if word@` to `@end@` stay where `has` names the word."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    text = BLOCK.sub(lambda block: block[2] if block[1] in has else "", text)
    for field, value in fields.items():
        text = text.replace(f"@{field}@", value)
    return text.encode()
