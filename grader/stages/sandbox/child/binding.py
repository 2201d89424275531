"""In the child: how the learner's function takes our arguments."""

from __future__ import annotations

import contextlib
import inspect
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from faults import Theirs, theirs  # type: ignore[import-not-found]

SHOWN_NAMES, SHOWN_NAME = 20, 100
DEEPEST = 8  # wrappers around wrappers
STAR, STARS = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD


Way = tuple[list[str], dict[str, str]]
"""How arguments go in: our names of those by position, and {their name: our name} of the others."""

KNOWN: dict[tuple[int, tuple[str, ...]], tuple[types.FunctionType, Way]] = {}
"""Of plain functions by `id`, and held, so that no other one can have it."""


def binding(function: Callable[..., Any], ours: Sequence[str], given: Iterable[str]) -> Way | str:
    """Return how `function` takes the arguments `given`, or its parameters as text when it cannot take them.

    By name when that works. Otherwise by position, when the learner renamed parameters and no name of ours stands at another place.
    What takes `*args, **kwargs` says nothing of names: then the function that it wraps decides. Of a plain function it is found
    out once.
    """
    names = tuple(given)
    key = (id(function), names)
    if key in KNOWN and KNOWN[key][0] is function:
        return KNOWN[key][1]
    try:
        signature = theirs(inspect.signature, function)
    except Theirs as told:
        if not isinstance(told.error, (ValueError, TypeError)):
            raise
        return [name for name in ours if name in names], {}  # a built-in that does not tell
    way = fitting(function, signature, ours, names)
    if way is None:
        return written(signature)
    if type(function) is types.FunctionType:
        KNOWN[key] = function, way
    return way


def fitting(
    function: Callable[..., Any],
    signature: inspect.Signature,
    ours: Sequence[str],
    names: Sequence[str],
    depth: int = 0,
) -> Way | None:
    return (
        inside(function, signature, ours, names, depth)
        or by_name(signature, names)
        or by_position(signature, ours, names)
    )


def inside(
    function: Callable[..., Any], signature: inspect.Signature, ours: Sequence[str], names: Sequence[str], depth: int
) -> Way | None:
    """How a function of `*args, **kwargs` hands on what would fall into `**kwargs`; None where its own signature tells more.

    As the one function that it closes over or calls takes it. Where that is not to be known, by position, but for names that its text
    speaks of and what follows them.
    """
    owner = (function.__self__,) if type(function) is types.MethodType else ()
    plain = function.__func__ if type(function) is types.MethodType else function
    kinds = {p.kind for p in signature.parameters.values()}
    if (
        type(plain) is not types.FunctionType
        or not {STAR, STARS} <= kinds
        or all(n in signature.parameters for n in names)
    ):
        return None
    found = list({id(one): one for one in functions_in(plain)}.values())
    if len(found) == 1 and depth < DEEPEST:
        inner = types.MethodType(found[0], *owner) if owner else found[0]
        way = fitting(inner, theirs(inspect.signature, inner), ours, names, depth + 1)
        if way is not None:
            return way
    if any(name in signature.parameters for name in names):
        return None
    rest = [name for place, name in enumerate(ours) if name in names and spoken_of(plain, ours, names, place)]
    return [name for name in ours if name in names and name not in rest], {name: name for name in rest}


def spoken_of(plain: types.FunctionType, ours: Sequence[str], names: Sequence[str], place: int) -> bool:
    """Whether an argument, or one before it, is named in the text of a function or left out."""
    return any(name in plain.__code__.co_consts or name not in names for name in ours[: place + 1])


def functions_in(plain: types.FunctionType) -> Iterator[types.FunctionType]:
    """The functions of the learner's that a function closes over, or calls by their names."""
    for cell in plain.__closure__ or ():
        with contextlib.suppress(ValueError):  # nothing is in it yet
            if type(cell.cell_contents) is types.FunctionType:
                yield cell.cell_contents
    for name in plain.__code__.co_names:
        value = dict.get(plain.__globals__, name)
        if type(value) is types.FunctionType and value is not plain and value.__globals__ is plain.__globals__:
            yield value


def by_name(signature: inspect.Signature, names: Sequence[str]) -> Way | None:
    try:
        signature.bind(**dict.fromkeys(names))
    except TypeError:
        return None
    return [], {name: name for name in names}


def by_position(signature: inspect.Signature, ours: Sequence[str], given: Sequence[str]) -> Way | None:
    names = [p.name for p in signature.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if any(name in names and names.index(name) != ours.index(name) for name in ours):
        return None
    positional: list[str] = []
    named: dict[str, str] = {}
    for place, name in enumerate(ours):
        if name not in given:
            continue
        if len(positional) == place:
            positional.append(name)
        elif place < len(names):  # an argument before it is left out
            named[names[place]] = name
    try:
        signature.bind(*positional, **named)
    except TypeError:
        return None
    return positional, named


SIGNS = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}


def written(signature: inspect.Signature) -> str:
    """`(q, k, mask=None)`: names and plain defaults, no annotations."""
    parts = []
    for parameter in list(signature.parameters.values())[:SHOWN_NAMES]:
        parts.append(
            SIGNS.get(parameter.kind.name, "") + parameter.name[:SHOWN_NAME] + written_default(parameter.default)
        )
    return f"({', '.join(parts)})"


def written_default(default: Any) -> str:
    if default is inspect.Parameter.empty:
        return ""
    return f"={default!r}"[:SHOWN_NAME] if type(default) in (bool, int, float, type(None)) else "=…"
