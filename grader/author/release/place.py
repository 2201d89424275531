"""The files of a release and a folder in, the folder written whole out. What another hand wrote there is never lost."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from grader.author.release.courses import lay_out

MANIFEST = ".release.json"


class NotOurs(Exception):
    """The folder has files that no release wrote, or that were changed since; `names` are theirs."""

    def __init__(self, names: list[str]):
        super().__init__(", ".join(names))
        self.names = names


def must_be_ours(folder: Path) -> None:
    """Raise NotOurs unless the folder is not there, empty, or as a release left it."""
    if not folder.exists() and not folder.is_symlink():
        return
    if folder.is_symlink() or not folder.is_dir():
        raise NotOurs([folder.name])
    known = _manifest(folder)
    found = {p.relative_to(folder).as_posix(): p for p in sorted(folder.rglob("*")) if p.is_symlink() or not p.is_dir()}
    found.pop(MANIFEST, None)
    if strange := [
        name for name, path in found.items() if path.is_symlink() or known.get(name) != _digest(path.read_bytes())
    ]:
        raise NotOurs(strange)


def place(folder: Path, files: Mapping[str, bytes], target: str) -> None:
    """Write a release beside the folder, then put it into its place; raise NotOurs before anything is written."""
    folder = folder.absolute()
    must_be_ours(folder)
    digests = {name: _digest(data) for name, data in sorted(files.items())}
    manifest = {"for": target, "files": digests}
    part, old = (folder.with_name(f".{folder.name}.{end}") for end in ("part", "old"))
    shutil.rmtree(part, ignore_errors=True)
    try:
        lay_out(part, {**files, MANIFEST: (json.dumps(manifest, indent=1) + "\n").encode()})
        if folder.exists():
            folder.replace(old)
        part.replace(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
        if old.exists() and not folder.exists():
            old.replace(folder)
        shutil.rmtree(old, ignore_errors=True)


def _manifest(folder: Path) -> dict[str, str]:
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["files"]
        return dict(found) if isinstance(found, dict) else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
