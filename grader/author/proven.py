"""What was proven before, kept between runs: an item whose files have not changed since needs no new proof.

A proof depends on the file, on the reference with its mistakes, on the words of the course, on torch and numpy, and on this
grader itself. Only what holds in full is kept: whatever does not is looked at again.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import grader
from grader.author.proof import Proof
from grader.model import Message
from grader.stages.expect import FOLDER
from grader.stages.spec.variants import draws_file

PLAIN = (str, int, float, bool, type(None))


def shared_digest(root: Path) -> str:
    """Return what the proofs of every item of a course depend on: this machine, this grader, the reference, own words."""
    digest = hashlib.sha256(_machine().encode())
    ours = Path(grader.__file__).parent
    for source in (*_files(ours), *_files(root / FOLDER), *_files(root / "kinds")):
        _add(digest, source)
    return digest.hexdigest()


def key_of(shared: str, file: Path, about: str) -> str:
    """Return what the proofs of one item depend on; `about` is what they need to know of the course besides."""
    digest = hashlib.sha256(f"{shared}|{about}|".encode())
    for source in (file, draws_file(file)):
        _add(digest, source)
    return digest.hexdigest()


def _add(digest: hashlib._Hash, source: Path) -> None:
    try:
        data = source.read_bytes()
    except OSError:
        return  # draws need not be there
    digest.update(source.name.encode() + b"\0" + hashlib.sha256(data).digest())


def recall(cache: Path | None, root: Path, slug: str, key: str) -> tuple[Proof, ...] | None:
    """Return the proofs that an item had under this key; None where there are none, or nothing that can be read."""
    if cache is None:
        return None
    try:
        kept = json.loads(_place(cache, root, slug).read_text(encoding="utf-8"))
        if kept["key"] != key:
            return None
        return tuple(
            Proof(slug, _message(one["claim"]), True, remark=one["remark"], elsewhere=one["elsewhere"])
            for one in kept["proofs"]
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def remember(cache: Path | None, root: Path, slug: str, key: str, proofs: tuple[Proof, ...]) -> None:
    """Keep the proofs of an item that all hold. A cache that cannot be written costs time, nothing else."""
    if cache is None or not proofs or not all(proof.holds and _is_plain(proof.claim) for proof in proofs):
        return
    kept = [{"claim": _data(proof.claim), "remark": proof.remark, "elsewhere": proof.elsewhere} for proof in proofs]
    place = _place(cache, root, slug)
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=place.parent)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"key": key, "proofs": kept}, file)
        Path(name).replace(place)
    except OSError:
        return


def _place(cache: Path, root: Path, slug: str) -> Path:
    course = hashlib.sha256(str(root.resolve()).encode()).hexdigest()[:12]
    return cache / "proofs" / f"{slug}-{course}.json"


def _files(*folders: Path) -> Iterator[Path]:
    for folder in folders:
        yield from sorted(
            path for path in folder.rglob("*") if path.suffix in (".py", ".yaml", ".lark") and _is_source(path)
        )


def _is_source(path: Path) -> bool:
    return "_course" not in path.parts and path.is_file()


@lru_cache(maxsize=1)
def _machine() -> str:
    return "|".join(
        [grader.__version__, platform.python_version(), platform.machine(), *map(_version, ("torch", "numpy"))]
    )


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "?"


def _is_plain(text: Message) -> bool:
    return all(isinstance(field, PLAIN) for field in text.fields.values())


def _data(text: Message) -> dict[str, Any]:
    return {"template": text.template, "fields": dict(text.fields)}


def _message(data: dict[str, Any]) -> Message:
    return Message(str(data["template"]), {str(name): field for name, field in data["fields"].items()})
