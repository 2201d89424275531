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
from grader.stages.frozen_shape import PairsFile, read_as
from grader.stages.sandbox.strict import WireError
from grader.stages.sandbox.wire import pack, unpack
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
        return _pairs(read_as(PairsFile, body[8 : 8 + size]), unpack(body[8 + size :], caps=OURS))
    except (ValueError, LookupError, TypeError, WireError):
        return None


def _pairs(known: PairsFile, tensors: Mapping[str, Tensor]) -> dict[tuple[str, ...], Mapping[str, Trace]]:
    """Return the traces; raise an error of these kinds where table and rows do not fit each other."""
    table, projections, slack = (
        _of_width(tensors[name], width)
        for name, width in (("table", len(known.calls)), ("projections", PROJECTIONS), ("slack", 2))
    )
    if len(table) and (table.min(initial=0) < 0 or table.dtype.kind != "i"):
        raise ValueError("a row that is not there")
    if any(count != (PROJECTIONS if error is None else 0) for _, count, _, error in known.rows):
        raise ValueError("another number of projections")
    rows = [
        Trace(known.forms[form], tuple(numbers[:count]), (near[0], near[1]), holes, error)
        for (form, count, holes, error), numbers, near in zip(
            known.rows, projections.tolist(), slack.tolist(), strict=True
        )
    ]
    return {
        ids: {call: rows[row] for call, row in zip(known.calls, line, strict=True)}
        for ids, line in zip(known.pairs, table.tolist(), strict=True)
    }


def _of_width(tensor: Tensor, width: int) -> np.ndarray[Any, Any]:
    if tensor.array.ndim != 2 or tensor.shape[1] != width or tensor.array.dtype.kind not in "if":
        raise ValueError("a table of another shape")
    return tensor.array
