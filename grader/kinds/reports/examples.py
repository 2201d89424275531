"""A small example in, its arguments and results as short texts out, written as Python writes nested lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grader.kinds.reports.escape import line
from grader.kinds.reports.grids import short
from grader.model import Example, Tensor, Value


@dataclass(frozen=True)
class ExampleView:
    """The arguments as (name, value), and what differs as (name of the result or "", got, expected)."""

    arguments: tuple[tuple[str, str], ...]
    results: tuple[tuple[str, str, str], ...]


def example_view(example: Example | None) -> ExampleView | None:
    """Return the example as texts."""
    if example is None:
        return None
    arguments = tuple((line(name), written(value, None)) for name, value in example.arguments.items())
    results = tuple(
        (line(name), written(example.got[name], digits), written(value, digits))
        for name, value in example.expected.items()
        if (digits := _digits(example.got, example.expected, name))
    )
    return ExampleView(arguments, results)


def _digits(got: Mapping[str, Value], expected: Mapping[str, Value], name: str) -> int:
    """Two digits, or three where two would not show the difference."""
    return next((n for n in (2, 3) if written(got[name], n) != written(expected[name], n)), 4)


def written(value: Value, digits: int | None) -> str:
    """Return a value as Python writes it, floats with so many decimals; with None as short as they are exact."""
    return _nested(value.array.tolist() if isinstance(value, Tensor) else value, digits)


def _nested(value: Any, digits: int | None) -> str:
    if isinstance(value, (list, tuple)):
        inside = ", ".join(_nested(item, digits) for item in value)
        if isinstance(value, list):
            return f"[{inside}]"
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if isinstance(value, float):
        return f"{value:g}" if digits is None else short(value, digits)
    return line(str(value))
