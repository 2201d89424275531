"""In the child: take the judge's request apart, get ready, lock the door, run the learner's file."""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from arguments import Arguments  # type: ignore[import-not-found]
from binding import KNOWN  # type: ignore[import-not-found]
from channel import Channel, Printed, redirect  # type: ignore[import-not-found]
from encode import Area  # type: ignore[import-not-found]
from faults import ours  # type: ignore[import-not-found]
from learner import Ended, Run  # type: ignore[import-not-found]


def parts_of(data: Any) -> list[Any]:
    """Take a request apart: each part comes after its length in eight bytes, and is padded to eight."""
    found = []
    place = 0
    while place < len(data):
        (length,) = struct.unpack_from("<Q", data, place)
        found.append(data[place + 8 : place + 8 + length])
        place += 8 + length
        place += -place % 8
    return found


def parsed(part: Any) -> Any:
    return json.loads(bytes(part))


IMPORT_SECONDS = 10.0
"""CPU time after which nothing more is imported: this is not counted against the submission, so it must not buy much."""


def bring_in(modules: list[str]) -> None:
    """Import what the submission will ask for, while there still are files to read."""
    start = time.process_time()
    for name in modules:
        if time.process_time() - start > IMPORT_SECONDS:
            break
        with contextlib.suppress(BaseException):  # the learner's own import statement says so in their words
            importlib.import_module(name)


def read_all(fd: int) -> memoryview:
    """Read the second request from a pipe: eight bytes of length, then that much."""
    data = read_exactly(fd, 8)
    return memoryview(read_exactly(fd, struct.unpack("<Q", data)[0]))


def read_exactly(fd: int, size: int) -> bytearray:
    data = bytearray()
    while len(data) < size:
        more = os.read(fd, min(size - len(data), 1 << 20))
        if not more:
            raise EOFError
        data += more
    return data


REHEARSALS = 12  # the interpreter adapts code to what it sees, after a few times


def rehearse(times: int = REHEARSALS) -> None:
    """Go through the motions of a call, with a function of ours. In the warm process what adapts, adapts once for all children."""
    sent = b'{"0": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}}'
    arguments = Arguments(bytearray(struct.pack("<Q", len(sent)) + sent + bytes(16)), "cpu")
    job = {"filename": "", "device": "cpu", "seed": 0, "parameters": ["x"], "import": [], "may_ask": False}
    pairs = [["x", ["t", 0, "cpu"]], ["y", ["i", 1]], ["z", ["n"]]]
    spec = {"arguments": pairs, "gradients_of": [], "cotangent": [], "repeat": 1, "facts": False, "keep": False}
    with open(os.devnull, "wb") as nowhere:
        channel = Channel(nowhere.fileno())
        work = Run(job, b"", channel, Area(bytearray(1 << 20)), Printed(nowhere.fileno(), 1 << 30, channel))
        for number in range(times):
            work.call(number, spec, arguments, lambda x, y, z: (x, [y, 0.5, "text", True], {"z": z}))
        looks_for_devices = any(getattr(torch.version, kind, None) for kind in ("cuda", "hip", "xpu"))
        if not looks_for_devices:  # which going back does, and a warm process must not
            back = {**spec, "gradients_of": ["x"], "cotangent": [["t", 0, "cpu"]]}
            for number in range(times):
                work.call(number, back, arguments, lambda x, y, z: (x @ x).softmax(-1) * y)
    KNOWN.clear()


def run(request: Any, area: Any, feed: int, printed: int, frames: int, lock: Callable[[], None]) -> None:
    """Run one submission to its end; never returns. `lock` is called before any of it is looked at."""
    channel, leave = Channel(frames), os._exit
    try:
        work_through(request, area, feed, printed, channel, lock)
    except Ended:
        pass
    except (
        BaseException
    ) as error:  # a fault of ours, or something that the learner's code did to ours: the judge finds out
        with contextlib.suppress(BaseException):
            channel.send(b"G", ours(error))
        leave(3)
    leave(0)


def work_through(request: Any, area: Any, feed: int, printed: int, channel: Channel, lock: Callable[[], None]) -> None:
    about, source, specs, tensors = parts_of(request)
    job = parsed(about)
    bring_in(job["import"])
    stream = redirect(printed, job["flood"], channel)
    arguments = Arguments(tensors, job["device"])
    sys.dont_write_bytecode = True
    os.environ.clear()
    lock()
    work = Run(job, bytes(source), channel, Area(area), stream)
    function = work.load()
    calls = parsed(specs)
    for number, spec in enumerate(calls):
        work.call(number, spec, arguments, function)
    if job["hidden"]:
        work.tell(b"W", {})
        work.sees_hidden = True
        more, tensors = parts_of(read_all(feed))
        arguments = Arguments(tensors, job["device"])
        for number, spec in enumerate(parsed(more), start=len(calls)):
            work.call(number, spec, arguments, function)
    work.tell(b"D", {})
