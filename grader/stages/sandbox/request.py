"""A plan and a submission to the bytes that a child receives: open calls at once, hidden ones when the open ones are done."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from grader.model import Call, Plan, Submission
from grader.stages.sandbox.values import TensorStore, encode
from grader.stages.sandbox.wire import MB, pack

FLOOD = 8 * MB
"""Bytes of printed text after which a run is ended."""


@dataclass(frozen=True)
class Request:
    """What one run sends. `hidden` is empty when the plan hides nothing; the child gets it last, so that nothing it
    says before can speak of it."""

    calls: tuple[Call, ...]  # in the order of the child: open, then hidden
    open_count: int
    first: bytes
    hidden: bytes


def make_request(
    plan: Plan, submission: Submission, *, allowed: Sequence[str], modules: Sequence[str], files: bool, may_ask: bool
) -> Request:
    """Return the bytes of one run. `modules` are imported before the lock; `files` says whether others can be found behind
    it, `may_ask` whether the child may name one that could not."""
    shown = tuple(call for call in plan.calls if not call.hidden)
    hidden = tuple(call for call in plan.calls if call.hidden)
    signature = plan.exercise.signature
    about = {
        "filename": file_name(submission.path),
        "function": signature.name,
        "parameters": [parameter.name for parameter in signature.parameters],
        "allowed": list(allowed),
        "import": list(modules),
        "files": files,
        "may_ask": may_ask,
        "seed": plan.rng_seed,
        "device": plan.device,
        "flood": FLOOD,
        "hidden": bool(hidden),
    }
    return Request(
        calls=shown + hidden,
        open_count=len(shown),
        first=_bytes({**about, **_calls(shown)}, submission.source),
        hidden=_bytes(_calls(hidden), b"") if hidden else b"",
    )


def file_name(path: str) -> str:
    """The name that a learner's lines are known by: the last part of the path, plain."""
    name = "".join(c if c.isprintable() else "_" for c in PurePath(path.replace("\\", "/")).name)
    return name[:100] or "submission.py"


def _calls(calls: Sequence[Call]) -> dict[str, Any]:
    store = TensorStore()
    specs = [
        {
            "arguments": [[name, encode(value, store)] for name, value in call.arguments.items()],
            "gradients_of": list(call.gradients_of) if call.cotangent else [],
            "cotangent": [encode(tensor, store) for tensor in call.cotangent],
        }
        for call in calls
    ]
    return {"calls": specs, "tensors": store.tensors}


def _bytes(about: dict[str, Any], source: bytes) -> bytes:
    """Three parts, each after its length in eight bytes and padded to eight: description, source, tensors."""
    tensors = pack(about.pop("tensors"))
    data = b""
    for part in (json.dumps(about).encode("ascii"), source, tensors):
        data += struct.pack("<Q", len(part)) + part + b"\0" * (-len(part) % 8)
    return data
