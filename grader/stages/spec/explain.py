"""What pydantic has against a file in, problems at their places in our words out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from grader.kinds.axes import PATTERN as AXIS
from grader.model import LANGUAGES, Message, message
from grader.stages.spec.models import MODULE, NAME, SLUG
from grader.stages.spec.source import Problem, Source, Where, clean, or_near

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")
Keys = Callable[[tuple[int | str, ...]], list[str]]

PATTERNS = {
    NAME: message("a name of letters, digits and `_`"),
    AXIS: message("an axis: a name, or a product or sum of names such as `H*K`"),
    SLUG: message("a name of lower-case letters, digits and `_`"),
    MODULE: message("names of letters, digits and `_`, with dots between them"),
}

# What was expected instead, by pydantic's type of the error; the bounds come from its context.
EXPECTED: dict[str, Callable[[Mapping[str, Any]], Message]] = {
    "string_type": lambda _: message("text"),
    **dict.fromkeys(("int_type", "int_from_float"), lambda _: message("a whole number")),
    "float_type": lambda _: message("a number"),
    "bool_type": lambda _: message("true or false"),
    **dict.fromkeys(("tuple_type", "list_type", "set_type", "frozen_set_type"), lambda _: message("a list")),
    **dict.fromkeys(
        ("model_type", "dict_type", "mapping_type", "model_attributes_type"), lambda _: message("keys with values")
    ),
    "none_required": lambda _: message("nothing"),
    "literal_error": lambda ctx: message("one of {choices}", choices=ctx["expected"]),
    "finite_number": lambda _: message("a finite number"),
    "greater_than": lambda ctx: message("more than {bound}", bound=f"{ctx['gt']:g}"),
    "greater_than_equal": lambda ctx: message("at least {bound}", bound=f"{ctx['ge']:g}"),
    "less_than": lambda ctx: message("less than {bound}", bound=f"{ctx['lt']:g}"),
    "less_than_equal": lambda ctx: message("at most {bound}", bound=f"{ctx['le']:g}"),
    "string_pattern_mismatch": lambda ctx: PATTERNS.get(
        ctx["pattern"], message("text that matches {pattern}", pattern=ctx["pattern"])
    ),
    "string_too_short": lambda _: message("text that is not empty"),
    "string_too_long": lambda ctx: message("at most {bound} characters", bound=ctx["max_length"]),
    "too_short": lambda ctx: message("at least {bound} of them", bound=ctx["min_length"]),
    "too_long": lambda ctx: message("at most {bound} of them", bound=ctx["max_length"]),
}


def got_text(value: Any) -> Message:
    """Return a value of a file as messages name it."""
    if value is None:
        return message("nothing")
    if isinstance(value, bool):
        return Message("true" if value else "false")
    if isinstance(value, str):
        return Message("{text}", {"text": repr(clean(value))})
    if isinstance(value, (list, tuple)):
        return message("a list of {count}", count=len(value))
    if isinstance(value, dict):
        return message("keys with values")
    return Message("{value}", {"value": value})


def sift(result: T | list[Problem], problems: list[Problem]) -> T | None:
    """Return what could be read; None, with its problems added to `problems`, where it could not."""
    if isinstance(result, list):
        problems.extend(result)
        return None
    return result


def validate(
    model: type[M], source: Source, path: Where = (), data: Any = None, also: Iterable[str] = ()
) -> M | list[Problem]:
    """Return the model of what stands at `path`, or every problem with it.

    `data` replaces what stands there, for example without the keys that belong to somebody else; those are in `also`, for did-you-mean.
    """
    value = source.at(path) if data is None else data
    try:
        # As JSON: strict about numbers and text, and a list may become a tuple.
        return model.model_validate_json(json.dumps(value))
    except ValidationError as error:
        keys = partial(known_keys, model, tuple(also))
        return list(_problems(error.errors(include_url=False), keys, source, path))


def _problems(errors: list[ErrorDetails], keys: Keys, source: Source, base: Where) -> Iterator[Problem]:
    by_path: dict[Where, list[ErrorDetails]] = {}
    for error in errors:
        by_path.setdefault(_path(error, source, base), []).append(error)
    for path, found in by_path.items():
        # Several errors at one place come from the branches of a union. One that got past the sort of the value says more.
        telling = [error for error in found if not _is_sort(error)]
        deeper = any(other[: len(path)] == path and other != path for other in by_path)
        if telling or not deeper:
            yield _problem(telling or found, path, keys, source)


def _is_sort(error: ErrorDetails) -> bool:
    """Whether an error says that the value is of another sort altogether, such as text for a list."""
    kind, value = error["type"], error["input"]
    if kind == "too_short":  # pydantic counts only the entries that are right
        return len(value) >= int(error["ctx"]["min_length"])
    return kind.endswith(("_type", "_required")) or (kind == "literal_error" and not isinstance(value, str))


def _path(error: ErrorDetails, source: Source, base: Where) -> Where:
    """Return the path in the file: pydantic's, without the names of the branches of a union."""
    path = base
    for step in error["loc"]:
        if (*path, step) in source.values:
            path = (*path, step)
    if error["type"] == "missing":
        return (*path, error["loc"][-1])
    if error["type"] == "text_key":
        return (*path, error["ctx"]["key"])
    return path


def _problem(errors: list[ErrorDetails], path: Where, keys: Keys, source: Source) -> Problem:
    first = errors[0]
    kind, ctx = first["type"], first.get("ctx", {})
    if kind == "missing":
        return source.problem(path, message("this key is missing"))
    if kind == "extra_forbidden":
        word = str(first["loc"][-1])
        return source.problem(path, or_near(message("unknown key"), word, keys(first["loc"][:-1])), key=True)
    if kind == "text_key":
        return source.problem(
            path, or_near(message("unknown key; a text has the keys en and zh"), str(path[-1]), LANGUAGES), key=True
        )
    if kind == "text_missing":
        return source.problem(path, message("the text in {language} is missing", language=ctx["language"]))
    if kind == "text_form":
        what = message("got {got}, expected a text in each language: `{{en: …, zh: …}}`", got=got_text(first["input"]))
        return source.problem(path, what)
    expected = [EXPECTED[error["type"]](error.get("ctx", {})) for error in errors if error["type"] in EXPECTED]
    if not expected:  # a validator of a word, in its own sentence
        reason = str(ctx.get("error", first["msg"]))
        return source.problem(path, Message("{reason}", {"reason": reason}))
    what = message("got {got}, expected {expected}", got=got_text(first["input"]), expected=_either(expected))
    return source.problem(path, _near_choice(what, first))


def _either(choices: list[Message]) -> Message:
    joined = choices[0]
    for choice in [c for i, c in enumerate(choices) if c not in choices[:i]][1:]:
        joined = message("{one} or {other}", one=joined, other=choice)
    return joined


def _near_choice(what: Message, error: ErrorDetails) -> Message:
    if error["type"] != "literal_error" or not isinstance(error["input"], str):
        return what
    return or_near(
        what,
        error["input"],
        [choice.strip("' ") for choice in error["ctx"]["expected"].replace(" or ", ",").split(",")],
    )


def known_keys(model: type[BaseModel], also: tuple[str, ...], loc: tuple[int | str, ...]) -> list[str]:
    """Return the keys that may stand at pydantic's `loc` in `model`, at its top those in `also` too."""
    models = [model]
    for step in loc:
        inner = [
            m
            for found in models
            for name, field in found.model_fields.items()
            if step in (name, field.alias)
            for m in _models(field.annotation)
        ]
        models = inner or models
    return [
        *(() if loc else also),
        *(field.alias or name for found in models for name, field in found.model_fields.items()),
    ]


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models(part)]
