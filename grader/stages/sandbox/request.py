"""A plan and a submission to the bytes that a child receives: open calls at once, hidden ones when the open ones are done."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from grader.model import Built, Call, Plan, ResultOf, Signature, Submission, Value
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
    may_ask: bool = False


@dataclass(frozen=True)
class Work:
    """What a plan sends to every child, whatever is submitted: made once."""

    calls: tuple[Call, ...]
    open_count: int
    about: Mapping[str, Any]
    specs: bytes
    tensors: bytes
    hidden: bytes


def work_of(plan: Plan) -> Work:
    """Return the calls of a plan as bytes, hidden ones apart."""
    shown = tuple(call for call in plan.calls if not call.hidden)
    hidden = tuple(call for call in plan.calls if call.hidden)
    exercise = plan.exercise
    about = {
        "function": exercise.signature.name,
        "parameters": _names(exercise.signature),
        "forward": _names(exercise.call_signature),
        "seed": plan.rng_seed,
        "device": plan.device,
        "arrays": exercise.arrays,
        "flood": FLOOD,
        "hidden": bool(hidden),
    }
    earlier = _Earlier(shown + hidden, tuple(exercise.returns))
    specs, tensors = _calls(shown, earlier)
    later = _parts(*_calls(hidden, earlier)) if hidden else b""
    return Work(shown + hidden, len(shown), about, specs, tensors, later)


def make_request(
    work: Work, submission: Submission, *, allowed: Sequence[str], modules: Sequence[str], files: bool, may_ask: bool
) -> Request:
    """Return the bytes of one run. `modules` are imported before the lock; `files` says whether others can be found behind
    it, `may_ask` whether the child may name one that could not."""
    about = {
        **work.about,
        "filename": file_name(submission.path),
        "allowed": list(allowed),
        "import": list(modules),
        "files": files,
        "may_ask": may_ask,
    }
    first = _parts(json.dumps(about).encode("ascii"), submission.source, work.specs, work.tensors)
    return Request(work.calls, work.open_count, first, work.hidden, may_ask)


def _names(signature: Signature) -> list[str]:
    return [parameter.name for parameter in signature.parameters]


def file_name(path: str) -> str:
    """The name that a learner's lines are known by: the last part of the path, plain."""
    name = "".join(c if c.isprintable() else "_" for c in PurePath(path.replace("\\", "/")).name)
    return name[:100] or "submission.py"


class _Earlier:
    """Which calls' results are arguments of later ones, and how an argument says so: `["r", number of the call, place]`."""

    def __init__(self, calls: Sequence[Call], results: tuple[str, ...]):
        self.numbers = {call.id: number for number, call in enumerate(calls)}
        self.results = results
        self.taken = {value.call for call in calls for value in call.arguments.values() if isinstance(value, ResultOf)}

    def node(self, value: ResultOf) -> list[Any]:
        return ["r", self.numbers[value.call], self.results.index(value.result) if value.result else None]


def _calls(calls: Sequence[Call], earlier: _Earlier) -> tuple[bytes, bytes]:
    """Return the calls as JSON, and their tensors."""
    store = TensorStore()

    def pairs(values: Mapping[str, Value]) -> list[list[Any]]:
        return [[n, earlier.node(v) if isinstance(v, ResultOf) else encode(v, store)] for n, v in values.items()]

    def made(built: Built) -> dict[str, Any]:
        parts = {"arguments": pairs(built.arguments), "state": pairs(built.state)}
        return {**parts, "dtype": built.dtype, "mode": built.mode}

    specs = [
        {
            "arguments": pairs(call.arguments),
            "gradients_of": list(call.gradients_of) if call.cotangent else [],
            "cotangent": [encode(tensor, store) for tensor in call.cotangent],
            "repeat": call.repeat,
            "facts": call.facts,
            "keep": call.id in earlier.taken,
            **({} if call.built is None else {"built": made(call.built)}),
            **({} if call.warm_up is None else {"warm_up": pairs(call.warm_up)}),
        }
        for call in calls
    ]
    return json.dumps(specs).encode("ascii"), pack(store.tensors)


def _parts(*parts: bytes) -> bytes:
    """Each part after its length in eight bytes, and padded to eight."""
    return b"".join(struct.pack("<Q", len(part)) + part + b"\0" * (-len(part) % 8) for part in parts)
