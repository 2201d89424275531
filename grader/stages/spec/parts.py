"""The signature, inputs and results of an exercise file in, what cases and checks refer to out: of a function or of a module."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grader.kinds.inputs import InputKind
from grader.model import SIZES, ModuleSpec, Parameter, Returned, Signature, message
from grader.stages.spec.cases import MADE, Frame, read_inputs
from grader.stages.spec.signature import parse_signature
from grader.stages.spec.source import Problem, Source, or_near

MODULE_KEYS = ("forward", "build", "state", "call")


@dataclass(frozen=True)
class Parts:
    """What was read: the signature of the function or of the class, how the class is built, and the frame for the rest."""

    signature: Signature | None
    builds: ModuleSpec | None
    frame: Frame


def read_parts(source: Source, slug: str | None, problems: list[Problem]) -> Parts:
    """Return the parts; add what is wrong with them to `problems`."""
    is_module = any(source.at((key,)) is not None for key in MODULE_KEYS)
    signature = _signature(source, "signature", problems)
    _named_as_the_file(source, signature, slug, is_module, problems)
    place = "call" if is_module else "inputs"
    inputs = read_inputs(source, (place,), problems)
    called = _forward(source, inputs, problems) if is_module else signature
    _fits_parameters(source, place, called, problems)
    made = {part: read_inputs(source, (part,), problems) for part in MADE} if is_module else {}
    if is_module:
        _fits_parameters(source, "build", signature, problems)
        if source.at(("inputs",)) is not None:
            problems.append(source.problem(("inputs",), message("a module has `call` in place of `inputs`"), key=True))
    returns = returns_of(source.at(("returns",)))
    given = source.at((place,))
    complete = isinstance(given, dict) and len(inputs) == len(given) and returns is not None
    frame = Frame(called, inputs, returns, complete, made)
    builds = ModuleSpec(called, made["build"], made["state"]) if is_module and called is not None else None
    return Parts(signature, builds, frame)


def returns_of(value: Any) -> dict[str, Returned] | None:
    """Return the results that `returns` describes, None where its form is wrong (the model says how)."""
    results = (
        {name: _returned(one) for name, one in value.items()} if isinstance(value, dict) else {"": _returned(value)}
    )
    known = {name: one for name, one in results.items() if one is not None}
    return known if known and len(known) == len(results) else None


def _returned(value: Any) -> Returned | None:
    if value == SIZES:
        return SIZES
    return tuple(value) if isinstance(value, list) and all(isinstance(axis, (str, int)) for axis in value) else None


def _signature(source: Source, key: str, problems: list[Problem]) -> Signature | None:
    text = source.at((key,))
    if not isinstance(text, str):
        return None  # the model says so
    signature = parse_signature(text)
    if isinstance(signature, Signature):
        return signature
    problems.append(source.problem((key,), signature))
    return None


def _forward(source: Source, inputs: Mapping[str, InputKind], problems: list[Problem]) -> Signature | None:
    """The signature of `forward`: as written, or the names of `call` in order."""
    if source.at(("forward",)) is not None:
        return _signature(source, "forward", problems)
    return Signature("forward", tuple(Parameter(name) for name in inputs))


def snake(name: str) -> str:
    """Return `multi_head_attention` for `MultiHeadAttention`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _named_as_the_file(
    source: Source, signature: Signature | None, slug: str | None, is_module: bool, problems: list[Problem]
) -> None:
    if signature is None or slug is None or signature.name == slug:
        return
    if is_module and slug in (snake(signature.name), f"{snake(signature.name)}_module"):
        return
    what = message("got the function `{name}`, expected `{slug}`, as the file is named", name=signature.name, slug=slug)
    if is_module:
        what = message(
            "got the class `{name}`, which does not fit the file name `{slug}`", name=signature.name, slug=slug
        )
    problems.append(source.problem(("signature",), what))


def _fits_parameters(source: Source, place: str, signature: Signature | None, problems: list[Problem]) -> None:
    """Every input belongs to a parameter, and every parameter without a default has an input."""
    given = source.at((place,))
    if given is None:
        problems.append(source.problem((place,), message("this key is missing")))
    if signature is None or not isinstance(given, dict):
        return
    names = [parameter.name for parameter in signature.parameters]
    for name in given:
        if name not in names:
            what = or_near(message("`{signature}` has no such parameter", signature=signature), name, names)
            problems.append(source.problem((place, name), what, key=True))
    for parameter in signature.parameters:
        if parameter.default is None and parameter.name not in given:
            what = message("the parameter `{name}` has no input", name=parameter.name)
            problems.append(source.problem((place,), what, key=True))
