"""A course, the settings of a run and one answer in; what the result depends on out. Equal keys need no second grading."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import grader
from grader.course.downloads import Piece
from grader.course.store.codec import dumps
from grader.model import Course, Exercise, Quiz, Submission
from grader.stages.spec.variants import draws_file

REFERENCE = "reference_impl/*"
OWN_KINDS = "kinds/*.py"


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
    own = b"".join(hashlib.sha256(path.read_bytes()).digest() for path in sorted(root.glob(OWN_KINDS)))
    files = {slug: _digest(_content(root / item.file) + own) for slug, item in named.items()}
    reference = hashlib.sha256()
    for path in sorted(root.glob(REFERENCE)):
        if path.is_file():
            reference.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    hidden = _digest(b"secret of a course\0" + secret)  # the store must not tell the secret itself
    return Versions(files, reference.hexdigest()[:24], f"{seed}|{hidden}|{device}|{level}")


def digest_of(versions: Versions, preload: Sequence[str]) -> str:
    """Return one digest for a course and what learners may import in it: what two machines that grade together agree on."""
    return _digest(json.dumps([asdict(replace(versions, run="")), *preload], sort_keys=True))


def _content(file: Path) -> bytes:
    """Return what an exercise or quiz is made from: its file, and frozen draws where there are some."""
    draws = draws_file(file)
    return file.read_bytes() + (draws.read_bytes() if draws.is_file() else b"")


def key_of(parts: Mapping[str, str]) -> str:
    """Return one key for all parts."""
    return _digest(json.dumps(parts, sort_keys=True))


def _digest(data: str | bytes) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()[:24]
