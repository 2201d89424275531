"""In the child: exceptions of the learner's code as plain data, capped, with the learner's own lines and nobody else's."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

SHOWN_TEXT, SHOWN_LINE, SHOWN_NAME, SHOWN_FRAMES = 1000, 200, 100, 10


class Theirs(Exception):
    """What code of the learner's raised, marked at the place where we called it: whatever else is raised is a fault of ours."""

    def __init__(self, error: BaseException):
        super().__init__()
        self.error = error


def theirs(act: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Call something of the learner's, or something that will call it."""
    try:
        return act(*arguments, **named)
    except BaseException as error:
        raise Theirs(error) from None


def ours(error: BaseException) -> dict[str, str]:
    """A fault of ours for those who can mend it: what was raised, and where in this folder."""
    where, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if PurePath(code.co_filename).parent == PurePath(__file__).parent:
            where = f"{PurePath(code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    return {
        "type": shown(type(error).__name__, SHOWN_NAME),
        "text": shown(error, SHOWN_TEXT),
        "where": where[:SHOWN_NAME],
    }


def shown(value: Any, most: int) -> str:
    """Text of something of the learner's; its __str__ may do anything."""
    try:
        return str.__str__(str(value))[:most]
    except Exception as error:
        return f"<its text cannot be shown: {type(error).__name__}>"[:most]


# Read through the types themselves: the learner's class may define each of these anew.
NAME, MRO, TRACEBACK = vars(type)["__name__"], vars(type)["__mro__"], vars(BaseException)["__traceback__"]


def is_a(error: BaseException, kind: type) -> bool:
    return issubclass(type(error), kind)  # not isinstance: it asks for __class__, which may be the learner's own


def class_name(kind: type) -> str:
    return shown(NAME.__get__(kind), SHOWN_NAME)


def fault(kind: str, error: BaseException | None = None, filename: str = "", **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": kind}
    if error is not None:
        found["type"] = class_name(type(error))
        found["bases"] = [class_name(kind) for kind in MRO.__get__(type(error))[:SHOWN_FRAMES]]
        found["text"] = shown(error, SHOWN_TEXT)
        found["lines"] = own_frames(error, filename)
    found.update(more)
    return found


def own_frames(error: BaseException, filename: str) -> list[list[Any]]:
    """The frames of the learner's own file, outermost first; of a deep recursion the first two and the last ones."""
    frames: list[list[Any]] = []
    trace = TRACEBACK.__get__(error)
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename == filename:
            number = trace.tb_lineno or code.co_firstlineno  # code made by hand may have no lines
            line = linecache.getline(filename, number).strip()[:SHOWN_LINE]
            frames.append([number, code.co_name[:SHOWN_NAME], line])
        trace = trace.tb_next
    return frames if len(frames) <= SHOWN_FRAMES else frames[:2] + frames[2 - SHOWN_FRAMES :]


def out_of_memory(error: BaseException) -> bool:
    return is_a(error, MemoryError) or (is_a(error, RuntimeError) and "can't allocate memory" in shown(error, 400))


def syntax_fault(error: BaseException) -> dict[str, Any]:
    if isinstance(error, SyntaxError):
        line = shown(error.text or "", SHOWN_LINE).rstrip("\r\n")
        column = error.offset if type(error.offset) is int else None
        lines = [[error.lineno, "", line]] if type(error.lineno) is int else []
        return fault("syntax", type=type(error).__name__, text=shown(error.msg, SHOWN_TEXT), lines=lines, column=column)
    text = "source code cannot contain null bytes" if isinstance(error, ValueError) else "nested too deeply"
    return fault("syntax", type="SyntaxError", text=text)
