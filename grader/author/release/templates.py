"""The name of a template and its fields in, the file out: scripts, workflows and texts of a release, with `@NAME@` filled in."""

from __future__ import annotations

from pathlib import Path

import grader

FOLDER = Path(grader.__file__).resolve().parent / "templates" / "release"


def filled(name: str, **fields: str) -> bytes:
    """Return the template with each `@FIELD@` replaced."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    for field, value in fields.items():
        text = text.replace(f"@{field}@", value)
    return text.encode()
