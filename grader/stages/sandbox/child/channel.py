"""In the child: the two ways out, frames for the judge and what the learner prints."""

from __future__ import annotations

import contextlib
import io
import json
import os
import struct
import sys
from typing import Any


class Channel:
    """Frames to the judge: one tag byte, four bytes of length, JSON."""

    def __init__(self, fd: int):
        self.fd, self._write = fd, os.write
        self.held = b""

    def send(self, tag: bytes, content: Any = None, hold: bool = False) -> None:
        """Send a frame; with `hold` only together with the next one, which has to follow before any code of the learner's runs."""
        text = b"" if content is None else json.dumps(content).encode("ascii")
        self.held += tag + struct.pack("<I", len(text)) + text
        if hold:
            return
        left, self.held = memoryview(self.held), b""
        while left:
            left = left[self._write(self.fd, left) :]


class Printed(io.RawIOBase):
    """What the learner prints goes straight to the pipe; `count` says how much of it, so that the judge can tell calls apart."""

    def __init__(self, fd: int, most: int, channel: Channel):
        self.fd, self.most, self.channel, self.count = fd, most, channel, 0
        self._write, self._exit = os.write, os._exit

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        left = memoryview(data).cast("B")
        size = len(left)
        while left:
            left = left[self._write(self.fd, left) :]
        self.count += size
        if self.count > self.most:
            self.channel.send(b"O")
            self._exit(1)
        return size


def redirect(fd: int, most: int, channel: Channel) -> Printed:
    printed = Printed(fd, most, channel)
    stream = io.TextIOWrapper(
        io.BufferedWriter(printed, 1 << 16), encoding="utf-8", errors="backslashreplace", line_buffering=True
    )
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = stream  # type: ignore[misc]
    sys.stdin = sys.__stdin__ = io.StringIO("")  # type: ignore[misc,assignment]
    return printed


def flush() -> None:
    with contextlib.suppress(BaseException):  # the learner closed or replaced it
        sys.stdout.flush()
