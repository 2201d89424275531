"""Expectations to bytes and back:

numbers as safetensors, structure as JSON. What cannot be read whole is not read at all.
"""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any

from grader.model import Example, Expectations, Tensor, Value
from grader.stages.frozen_shape import ExpectFile, read_as, trace_of
from grader.stages.sandbox.strict import WireError
from grader.stages.sandbox.wire import Caps, pack, unpack

MAGIC = b"AGEXP2\n"

# Bytes of our own, which a digest vouches for: only their length is a limit, not what a learner may hand back.
OURS = Caps(header=1 << 24, tensors=1 << 20)


def freeze(expectations: Expectations) -> bytes:
    """Return expectations as bytes: magic, digest, JSON length, JSON, tensors."""
    tensors: dict[str, Tensor] = {}

    def put(value: Value) -> Any:
        if isinstance(value, Tensor):
            name = str(len(tensors))
            tensors[name] = value
            return {"tensor": name}
        if isinstance(value, (tuple, list)):
            return {"tuple": [put(item) for item in value]}
        if isinstance(value, dict):
            return {"dict": [[key, put(item)] for key, item in value.items()]}
        return {"plain": value}

    text = json.dumps(
        {
            "right": {case: put(value) for case, value in expectations.right.items()},
            "gradients": {
                case: {n: put(t) for n, t in by_name.items()} for case, by_name in expectations.gradients.items()
            },
            "traces": [
                [list(ids), {case: [t.form, t.projections, t.slack, t.holes, t.error] for case, t in traces.items()}]
                for ids, traces in expectations.traces.items()
            ],
            "examples": [
                [list(ids), *(put(dict(part)) for part in (example.arguments, example.got, example.expected))]
                for ids, example in expectations.examples.items()
            ],
        },
        ensure_ascii=False,
    ).encode()
    body = struct.pack("<Q", len(text)) + text + pack(tensors)
    return MAGIC + hashlib.sha256(body).digest() + body


def thaw(data: bytes) -> Expectations | None:
    """Return the expectations, or None where the bytes are not whole."""
    start = len(MAGIC) + 32
    if (
        not data.startswith(MAGIC)
        or len(data) < start + 8
        or hashlib.sha256(data[start:]).digest() != data[len(MAGIC) : start]
    ):
        return None
    (size,) = struct.unpack_from("<Q", data, start)
    try:
        known = read_as(ExpectFile, data[start + 8 : start + 8 + size])
        tensors = unpack(data[start + 8 + size :], caps=OURS)
        return Expectations(
            {case: node.value(tensors) for case, node in known.right.items()},
            {case: {n: t.value(tensors) for n, t in by_name.items()} for case, by_name in known.gradients.items()},
            {tuple(ids): {call: trace_of(row) for call, row in rows.items()} for ids, rows in known.traces},
            {tuple(ids): Example(*(part.value(tensors) for part in parts)) for ids, *parts in known.examples},
        )
    except (ValueError, KeyError, WireError):
        return None
