"""In the child: how the learner's function takes our arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from faults import Theirs, theirs  # type: ignore[import-not-found]

SHOWN_NAMES, SHOWN_NAME = 20, 100


def binding(
    function: Callable[..., Any], ours: Sequence[str], values: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]] | str:
    """Return (positional, by name) arguments for `function`, or its parameters as text when it cannot take them.

    By name when that works. Otherwise by position, when the learner renamed parameters and no name of ours stands at another place.
    """
    try:
        signature = theirs(inspect.signature, function)
    except Theirs as told:
        if not isinstance(told.error, (ValueError, TypeError)):
            raise
        return [values[name] for name in ours if name in values], {}  # a built-in that does not tell
    try:
        signature.bind(**values)
        return [], dict(values)
    except TypeError:
        pass
    names = [p.name for p in signature.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    moved = any(name in names and names.index(name) != ours.index(name) for name in ours)
    positional: list[Any] = []
    by_name: dict[str, Any] = {}
    for place, name in enumerate(ours):
        if name not in values:
            continue
        if len(positional) == place:
            positional.append(values[name])
        elif place < len(names):  # an argument before it is left out
            by_name[names[place]] = values[name]
    try:
        signature.bind(*positional, **by_name)
    except TypeError:
        moved = True
    return written(signature) if moved else (positional, by_name)


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
