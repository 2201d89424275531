"""An existing function of the reference in, what it takes and gives out, found by trying it with numbers."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from grader.kinds.numbers import Array
from grader.model import Parameter, Signature, Tensor
from grader.stages.libraries import LIBRARIES

SIZES = {"B": 2, "T": 3, "D": 5}


class NoPlainArrays(Exception):
    """The function does not take arrays of one shape (B, T, D), or gives something else than arrays of these axes."""


def signature_of(function: Callable[..., Any], name: str) -> Signature:
    """Return the signature of a function of the reference under another name, without its steps."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name not in ("steps", "state")]
    return Signature(
        name,
        tuple(Parameter(p.name, None if p.default is inspect.Parameter.empty else repr(p.default)) for p in parameters),
    )


def returns_of(function: Callable[..., Any], signature: Signature, arrays: str) -> str:
    """Return the axes of what a function gives for arrays (B, T, D), as they stand in YAML; raise NoPlainArrays."""
    library, rng = LIBRARIES[arrays], np.random.default_rng(0)
    names = [parameter.name for parameter in signature.parameters if parameter.default is None]
    drawn: dict[str, Array] = {name: rng.standard_normal(tuple(SIZES.values())) for name in names}
    given = {name: library.given(Tensor("float64", array), "float64") for name, array in drawn.items()}
    try:
        with library.quiet():
            result = library.taken(function(**given))
    except Exception as error:  # whatever the reference does with arguments that are not meant for it
        raise NoPlainArrays(f"{type(error).__name__}: {error}") from error
    if isinstance(result, tuple) and len(result) > 1:
        return "{" + ", ".join(f"result_{at}: {_axes(one)}" for at, one in enumerate(result, 1)) + "}"
    return _axes(result)


def _axes(result: Any) -> str:
    if not isinstance(result, Tensor):
        raise NoPlainArrays(type(result).__name__)
    by_size = {size: axis for axis, size in SIZES.items()}
    return "[" + ", ".join(by_size.get(size, str(size)) for size in result.shape) + "]"
