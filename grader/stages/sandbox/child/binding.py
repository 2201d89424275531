"""In the child: how the learner's function takes our arguments."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from faults import Theirs, theirs  # type: ignore[import-not-found]

SHOWN_NAMES, SHOWN_NAME = 20, 100


Way = tuple[list[str], dict[str, str]]
"""How arguments go in: our names of those by position, and {their name: our name} of the others."""

KNOWN: dict[tuple[int, tuple[str, ...]], Way] = {}


def binding(function: Callable[..., Any], ours: Sequence[str], given: Iterable[str]) -> Way | str:
    """Return how `function` takes the arguments `given`, or its parameters as text when it cannot take them.

    By name when that works. Otherwise by position, when the learner renamed parameters and no name of ours stands at another place.
    Of a plain function it is found out once.
    """
    names = tuple(given)
    key = (id(function), names)
    if type(function) is types.FunctionType and key in KNOWN:
        return KNOWN[key]
    try:
        signature = theirs(inspect.signature, function)
    except Theirs as told:
        if not isinstance(told.error, (ValueError, TypeError)):
            raise
        return [name for name in ours if name in names], {}  # a built-in that does not tell
    way = by_name(signature, names) or by_position(signature, ours, names)
    if way is None:
        return written(signature)
    KNOWN[key] = way
    return way


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


STARS = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}


def written(signature: inspect.Signature) -> str:
    """`(q, k, mask=None)`: names and plain defaults, no annotations."""
    parts = []
    for parameter in list(signature.parameters.values())[:SHOWN_NAMES]:
        parts.append(
            STARS.get(parameter.kind.name, "") + parameter.name[:SHOWN_NAME] + written_default(parameter.default)
        )
    return f"({', '.join(parts)})"


def written_default(default: Any) -> str:
    if default is inspect.Parameter.empty:
        return ""
    return f"={default!r}"[:SHOWN_NAME] if type(default) in (bool, int, float, type(None)) else "=…"
