"""An exercise of a course whose arrays are numpy's in, a problem for each thing that only torch can do out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.kinds.checks import CheckKind
from grader.model import message
from grader.stages.spec.cases import Frame
from grader.stages.spec.parts import MODULE_KEYS
from grader.stages.spec.source import Problem, Source


def needs_torch(source: Source, frame: Frame, checks: Sequence[CheckKind]) -> Iterator[Problem]:
    """Yield what stands in the way: a module, the torch device as an input, a check that torch is needed for."""
    for key in MODULE_KEYS:
        if source.at((key,)) is not None:
            what = message("a module needs torch, and the arrays of this course are numpy's (course.yaml)")
            yield source.problem((key,), what, key=True)
    for name, kind in frame.inputs.items():
        if kind.needs_torch:
            what = message(
                "the input `{word}` needs torch, and the arrays of this course are numpy's (course.yaml)",
                word=kind.word,
            )
            yield source.problem(("inputs", name), what, key=True)
    for check in checks:
        if check.needs_torch or check.needs_module:
            what = message(
                "the check `{word}` needs torch, and the arrays of this course are numpy's (course.yaml)",
                word=check.word,
            )
            yield source.problem(_place(source, check.word), what)


def _place(source: Source, word: str) -> tuple[str | int, ...]:
    listed = source.at(("checks",))
    at = next(i for i, one in enumerate(listed) if one == word or (isinstance(one, dict) and word in one))
    return ("checks", at)
