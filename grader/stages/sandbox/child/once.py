"""A process for one submission, where there is no warm process to fork: level `none`, and systems other than Linux.

It imports torch at once, then reads one line from standard input: `{"request": path, "results": path, "limits"}`. The rest of
standard input is the hidden calls; frames go to standard output, printed text to standard error. Limits are all that holds it.
"""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import sys
from pathlib import Path
from typing import Any

try:
    import lockdown  # type: ignore[import-not-found]
except ImportError:  # a system without limits
    lockdown = None

HERE = str(Path(__file__).resolve().parent)


def main() -> None:
    config = json.loads(sys.argv[1])
    sys.path[:] = [path for path in sys.path if path and path != HERE] + [*config["paths"], HERE]
    import torch

    torch.set_num_threads(1)
    import job  # type: ignore[import-not-found]

    sys.path.remove(HERE)
    wanted = json.loads(read_line())
    frames = os.dup(1)
    os.dup2(2, 1)
    with open(wanted["request"], "rb") as file:
        data = bytearray(file.read())  # not bytes: torch wants memory that can be written to
    with open(wanted["results"], "r+b") as file:
        area = memoryview(mmap.mmap(file.fileno(), 0))
    job.run(memoryview(data), area, 0, 1, frames, lambda: set_limits(wanted["limits"]))


def read_line() -> bytes:
    """Read from the descriptor itself: a buffered stream would swallow what comes after the line."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            os._exit(0)  # the judge has gone, or has no run for this process
        line += byte
    return line


def set_limits(limits: dict[str, Any]) -> None:
    if lockdown is None:
        return
    with contextlib.suppress(OSError, ValueError):  # a limit that this system does not know
        lockdown.set_limits(limits, own_user=False)


if __name__ == "__main__":
    main()
