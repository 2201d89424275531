"""Traces of pairs of mistakes to bytes and back. Most of the thousands of traces are those of others: each is kept once."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from grader.model import Tensor, Trace
from grader.stages.frozen import OURS
from grader.stages.sandbox.wire import WireError, pack, unpack
from grader.stages.traces import PROJECTIONS

MAGIC = b"AGPAIR1\n"

Pairs = Mapping[tuple[str, ...], Mapping[str, Trace]]


def freeze_pairs(pairs: Pairs) -> bytes:
    """Return the traces as bytes: magic, digest, JSON length, JSON, tensors. Every pair has a trace of the same calls."""
    calls = list(next(iter(pairs.values()), {}))
    rows: dict[Trace, int] = {}
    table = [[rows.setdefault(traces[call], len(rows)) for call in calls] for traces in pairs.values()]
    forms = list(dict.fromkeys(trace.form for trace in rows))
    at = {form: number for number, form in enumerate(forms)}
    text = json.dumps(
        {
            "calls": calls,
            "pairs": [list(ids) for ids in pairs],
            "forms": forms,
            "rows": [[at[t.form], len(t.projections), t.holes, t.error] for t in rows],
        },
        ensure_ascii=False,
        separators=(",", ":"),
    ).encode()
    filled = [(*t.projections, *[0.0] * (PROJECTIONS - len(t.projections))) for t in rows]
    tensors = {
        "table": _tensor("int32", np.array(table, dtype=np.int32).reshape(len(pairs), len(calls))),
        "projections": _tensor("float64", np.array(filled, dtype=np.float64).reshape(len(rows), PROJECTIONS)),
        "slack": _tensor("float64", np.array([t.slack for t in rows], dtype=np.float64).reshape(len(rows), 2)),
    }
    body = struct.pack("<Q", len(text)) + text + pack(tensors)
    return MAGIC + hashlib.sha256(body).digest() + body


def _tensor(dtype: str, array: np.ndarray[Any, Any]) -> Tensor:
    return Tensor(dtype, array)


def thaw_pairs(data: bytes) -> dict[tuple[str, ...], Mapping[str, Trace]] | None:
    """Return the traces, or None where the bytes are not whole."""
    start = len(MAGIC) + 32
    body = data[start:]
    if not data.startswith(MAGIC) or len(body) < 8 or hashlib.sha256(body).digest() != data[len(MAGIC) : start]:
        return None
    (size,) = struct.unpack_from("<Q", body)
    try:
        known = json.loads(body[8 : 8 + size])
        tensors = unpack(body[8 + size :], caps=OURS)
    except (ValueError, WireError):
        return None
    numbers = zip(tensors["projections"].array.tolist(), tensors["slack"].array.tolist(), strict=True)
    rows = [
        Trace(known["forms"][form], tuple(projections[:count]), (slack[0], slack[1]), holes, error)
        for (form, count, holes, error), (projections, slack) in zip(known["rows"], numbers, strict=True)
    ]
    return {
        tuple(ids): {call: rows[row] for call, row in zip(known["calls"], line, strict=True)}
        for ids, line in zip(known["pairs"], tensors["table"].array.tolist(), strict=True)
    }
