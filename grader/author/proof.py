"""What a proof is: one claim about an exercise or a quiz, whether it holds, and where to look when it does not."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, replace
from pathlib import Path

from grader.model import AuthorError, Message
from grader.stages.expect import FOLDER
from grader.stages.spec.reader import read_yaml
from grader.stages.spec.source import Where
from grader.stages.spec.text import read_text


@dataclass(frozen=True)
class Proof:
    """One claim about an exercise or a quiz, and whether it holds. `why` says what to do when it does not.

    `at` is what in the file it is about, `place` the same as `file:line:col` where the proof does not hold.
    `remark`: it shows nothing, but is worth knowing; `elsewhere`: so, and it is left to samples.
    """

    slug: str
    claim: Message
    holds: bool
    why: Message | None = None
    at: Where = ()
    place: str = ""
    remark: bool = False
    elsewhere: bool = False


def placed(proof: Proof, root: Path, file: str) -> Proof:
    """Return a proof of a course file with its place, one that holds as it is."""
    if proof.holds or proof.place or not file:
        return proof
    try:
        line, column = read_yaml(read_text(root / file, file), file).place(proof.at)
    except AuthorError:  # the file was changed meanwhile
        line, column = 1, 1
    return replace(proof, place=f"{file}:{line}:{column}")


def raised_at(error: BaseException, root: Path) -> str:
    """Return the last line of the course's own code that an exception came through as `file:line`, or nothing."""
    inside = root.resolve()
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).resolve().is_relative_to(inside):
        return f"{Path(error.filename).resolve().relative_to(inside).as_posix()}:{error.lineno}"
    frames = [(Path(f.filename).resolve(), f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    own = [(path, line) for path, line in frames if path.is_relative_to(inside) and path.parent.name == FOLDER]
    return f"{own[-1][0].relative_to(inside).as_posix()}:{own[-1][1]}" if own else ""
