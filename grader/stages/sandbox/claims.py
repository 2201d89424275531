"""What the child claims of exceptions and modules to faults and facts: every text capped and plain, every form checked."""

from __future__ import annotations

import builtins
from typing import Any

from grader.model import Fault, ModuleFacts
from grader.stages.sandbox.shown import plain
from grader.stages.sandbox.strict import WireError

MOST_NAMES, LONGEST, MOST_AXES = 200, 100, 16
MOST_LINES = 1 << 20

FAULTS = (
    "exception", "syntax", "missing", "signature", "not_callable", "import", "exit", "state", "not_module", "earlier"
)  # fmt: skip
BUILTIN_ERRORS = frozenset(
    name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)
)


def text(value: Any, most: int) -> str:
    """Take a text of at most `most` characters; what could not be shown is written out."""
    if type(value) is not str or len(value) > most:
        raise WireError("a malformed text")
    return plain(value)


def fault_of(said: Any) -> Fault:
    """Take a fault apart; the child's own caps, with room to spare, are the most that is accepted."""
    if type(said) is not dict or said.get("kind") not in FAULTS:
        raise WireError("a malformed fault")
    column = said.get("column")
    if column is not None:
        _line(column)
    return Fault(
        kind=said["kind"],
        type=text(said.get("type", ""), 100),
        bases=tuple(text(name, 100) for name in some(said.get("bases", []), 10)),
        text=text(said.get("text", ""), 1000),
        lines=_lines(said.get("lines", [])),
        column=column,
        near=tuple(text(name, 100) for name in some(said.get("near", []), 1000)),
        got=text(said.get("got", ""), 4000),
    )


def some(items: Any, most: int) -> list[Any]:
    """Take a list of at most `most` items."""
    if type(items) is not list or len(items) > most:
        raise WireError("a malformed list")
    return items


def _lines(frames: Any) -> tuple[tuple[int, str, str], ...]:
    found = []
    for frame in some(frames, 10):
        if type(frame) is not list or len(frame) != 3:
            raise WireError("a malformed frame of a traceback")
        found.append((_line(frame[0]), text(frame[1], 100), text(frame[2], 200)))
    return tuple(found)


def _line(number: Any) -> int:
    if type(number) is not int or not 0 <= number <= MOST_LINES:
        raise WireError("a malformed line or column")
    return number


def class_only(fault: Fault) -> Fault:
    """What may be said of a fault in a hidden call. A class of the learner's own could be named after what it has seen."""
    known = tuple(name for name in fault.bases if name in BUILTIN_ERRORS)
    shown = fault.type if fault.type in BUILTIN_ERRORS or not fault.type else "Exception"
    return Fault(kind=fault.kind, type=shown, bases=known)


def facts_of(said: Any) -> ModuleFacts:
    """Take apart what the child tells of how a module is made."""
    if type(said) is not dict or set(said) != {"parameters", "buffers", "left_behind", "halved"}:
        raise WireError("malformed facts")
    return ModuleFacts(
        parameters={text(name, LONGEST): _shape(axes) for name, axes in _pairs(said["parameters"])},
        buffers={text(name, LONGEST): text(dtype, LONGEST) for name, dtype in _pairs(said["buffers"])},
        left_behind=tuple(text(name, LONGEST) for name in some(said["left_behind"], MOST_NAMES)),
        halved={text(name, LONGEST): text(dtype, LONGEST) for name, dtype in _pairs(said["halved"])},
    )


def _pairs(items: Any) -> list[list[Any]]:
    pairs = some(items, MOST_NAMES)
    if any(type(pair) is not list or len(pair) != 2 for pair in pairs):
        raise WireError("malformed facts")
    return pairs


def _shape(axes: Any) -> tuple[int, ...]:
    sizes = some(axes, MOST_AXES)
    if any(type(size) is not int or not 0 <= size < 1 << 63 for size in sizes):
        raise WireError("a malformed shape")
    return tuple(sizes)
