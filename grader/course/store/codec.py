"""The nouns of `grader.model` in, JSON out, and back: what a store keeps, in no language yet and without any pickle."""

from __future__ import annotations

import dataclasses
import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Any

import numpy as np

from grader import model

KIND, LIST, PAIRS, VERDICT, BYTES, ARRAY = "~", "~list", "~pairs", "~verdict", "~bytes", "~array"


def dumps(thing: Any) -> str:
    """Return a noun, or plain data, as one line of JSON; what is neither becomes its text."""
    return json.dumps(_plain(thing), ensure_ascii=False, separators=(",", ":"), sort_keys=False)


def loads(text: str | bytes) -> Any:
    """Return what `dumps` was given: dataclasses of `grader.model`, tuples, lists and mappings as they were."""
    return _thing(json.loads(text))


def _plain(thing: Any) -> Any:
    if thing is None or (isinstance(thing, (bool, int, float)) and not isinstance(thing, Enum)):
        return thing
    if isinstance(thing, model.Verdict):
        return {VERDICT: thing.value}
    if isinstance(thing, str):
        return thing.encode("utf-8", "backslashreplace").decode() if not thing.isascii() else thing
    if isinstance(thing, bytes):
        return {BYTES: thing.decode("utf-8", "replace")}
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        return {KIND: type(thing).__name__, **_changed(thing)}
    if isinstance(thing, tuple):
        return [_plain(item) for item in thing]
    if isinstance(thing, list):
        return {LIST: [_plain(item) for item in thing]}
    if isinstance(thing, Mapping):
        if all(isinstance(key, str) and not key.startswith("~") for key in thing):
            return {key: _plain(value) for key, value in thing.items()}
        return {PAIRS: [[_plain(key), _plain(value)] for key, value in thing.items()]}
    if isinstance(thing, np.ndarray):
        return {ARRAY: [thing.dtype.str, list(thing.shape), b64encode(np.ascontiguousarray(thing).tobytes()).decode()]}
    return thing.item() if isinstance(thing, np.generic) else str(thing)


def _changed(thing: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that differ from what they are by default."""
    found = {}
    for field in dataclasses.fields(thing):
        value = getattr(thing, field.name)
        if field.default is dataclasses.MISSING or (value is not field.default and value != field.default):
            found[field.name] = _plain(value)
    return found


@cache
def _classes() -> Mapping[str, Any]:
    return {name: found for name, found in vars(model).items() if dataclasses.is_dataclass(found)}


def _thing(plain: Any) -> Any:
    if isinstance(plain, list):
        return tuple(_thing(item) for item in plain)
    if not isinstance(plain, dict):
        return plain
    if KIND in plain:
        fields = {name: _thing(value) for name, value in plain.items() if name != KIND}
        return _classes()[plain[KIND]](**fields)
    if VERDICT in plain:
        return model.Verdict(plain[VERDICT])
    if BYTES in plain:
        return plain[BYTES].encode("utf-8")
    if ARRAY in plain:
        kind, shape, data = plain[ARRAY]
        return np.frombuffer(b64decode(data), np.dtype(kind)).reshape(shape)
    if LIST in plain:
        return [_thing(item) for item in plain[LIST]]
    if PAIRS in plain:
        return {_thing(key): _thing(value) for key, value in plain[PAIRS]}
    return {key: _thing(value) for key, value in plain.items()}
