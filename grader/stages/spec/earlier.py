"""Cases in, problems out: an argument that is a result of an earlier case needs that case before it, and that result of it."""

from __future__ import annotations

from collections.abc import Iterator

from grader.kinds.inputs import EarlierResult
from grader.model import Case, Message, message
from grader.stages.spec.cases import Frame
from grader.stages.spec.source import Problem, Source, Where, or_near


def check_earlier_results(source: Source, frame: Frame, cases: tuple[Case, ...], problems: list[Problem]) -> None:
    """Add what is wrong with `result_of` to `problems`. Called where every case could be read: places are those of the file."""
    for index, case in enumerate(cases):
        for path, kind in _taken(frame, case, index):
            refusal = _refusal(kind, case, cases[:index], frame)
            if refusal:
                problems.append(source.problem((*path, "result_of"), refusal))


def _taken(frame: Frame, case: Case, index: int) -> Iterator[tuple[Where, EarlierResult]]:
    for name, general in frame.inputs.items():
        kind = case.inputs.get(name, general)
        if isinstance(kind, EarlierResult) and name not in case.omit:
            yield ("cases", index, "inputs", name) if name in case.inputs else ("inputs", name), kind


def _refusal(kind: EarlierResult, case: Case, before: tuple[Case, ...], frame: Frame) -> Message | None:
    wanted, _, result = kind.result_of.partition(".")
    found = next((one for one in before if one.name == wanted), None)
    if found is None:
        what = message("no case named `{name}` comes before the case `{case}`", name=wanted, case=case.name)
        return or_near(what, wanted, [one.name for one in before])
    if found.hidden and not case.hidden:
        return message("the case `{name}` is hidden, so an open case cannot take its result", name=wanted)
    if found.raises:
        return message("the case `{name}` has no result: it raises", name=wanted)
    if frame.returns is not None and result not in frame.returns:
        if not result:
            return message(
                "the case `{name}` has several results: write `{name}.{one}`",
                name=wanted,
                one=next(iter(frame.returns)),
            )
        return or_near(message("the exercise has no result `{name}`", name=result), result, list(frame.returns))
    return None
