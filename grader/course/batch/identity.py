"""A course, the settings of a run and one answer in; what the result depends on out. Equal keys need no second grading."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import grader
from grader.course.downloads import Piece
from grader.course.store.codec import dumps
from grader.model import Course, Exercise, Quiz, Submission

REFERENCE = "reference_impl/*"


@dataclass(frozen=True)
class Versions:
    """Digests of everything beside the answer that a result depends on. Policy is none of it: points are made of results later."""

    files: Mapping[str, str]  # slug -> digest of its file
    reference: str
    run: str  # seed, secret, device and isolation
    grader: str = grader.__version__

    def parts(self, piece: Piece) -> dict[str, str]:
        """Return what the result of one answer depends on, part by part."""
        reference = self.reference if isinstance(piece.given, Submission) else ""
        run = self.run if isinstance(piece.given, Submission) else ""
        return {
            "answer": _digest(dumps(piece.given)),
            "file": self.files[piece.slug],
            "reference": reference,
            "run": run,
            "grader": self.grader,
        }


def versions_of(course: Course, *, seed: int, secret: bytes, device: str, level: str) -> Versions:
    """Return the versions that a run grades with."""
    root = Path(course.root)
    named: dict[str, Exercise | Quiz] = {**course.exercises, **course.quizzes}
    files = {slug: _digest((root / item.file).read_bytes()) for slug, item in named.items()}
    reference = hashlib.sha256()
    for path in sorted(root.glob(REFERENCE)):
        if path.is_file():
            reference.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    hidden = _digest(b"secret of a course\0" + secret)  # the store must not tell the secret itself
    return Versions(files, reference.hexdigest()[:24], f"{seed}|{hidden}|{device}|{level}")


def key_of(parts: Mapping[str, str]) -> str:
    """Return one key for all parts."""
    return _digest(json.dumps(parts, sort_keys=True))


def _digest(data: str | bytes) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()[:24]
