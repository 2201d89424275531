"""What the child says, frame by frame, held to the one order in which an honest child says it."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.stages.sandbox.strict import WireError, strict_json
from grader.stages.sandbox.wire import MB

MAX_FRAME = MB // 2
MAX_TOTAL = 8 * MB
MAX_BRACKETS = 16 * 1024  # in one frame: each becomes an object that is many times larger

# S started, L loaded, F not loaded, N needs a module, B begins a call, R returned, X raised, O printed too much,
# W waits for the hidden calls, D done, G something of ours failed. What may follow what is in `Dialogue._expected`.
KEYS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {  # tag: (keys that must be there, keys that may)
    "S": (frozenset(), frozenset()),
    "L": (frozenset({"printed"}), frozenset()),
    "F": (frozenset({"fault", "printed"}), frozenset({"memory"})),
    "N": (frozenset({"module", "printed"}), frozenset()),
    "B": (frozenset({"call"}), frozenset()),
    "R": (frozenset({"call", "value", "printed"}), frozenset({"at", "changed", "gradients", "fault", "module"})),
    "X": (frozenset({"call", "fault", "printed"}), frozenset({"memory"})),
    "O": (frozenset(), frozenset()),
    "W": (frozenset({"printed"}), frozenset()),
    "D": (frozenset({"printed"}), frozenset()),
    "G": (frozenset({"type", "text", "where"}), frozenset()),
}


@dataclass
class Dialogue:
    """Feed it bytes as they arrive; it yields frames, and raises WireError at the first byte out of order.

    After `open_count` of `call_count` calls the child has to wait: only then may it be given the hidden ones.
    """

    call_count: int
    open_count: int
    frames: list[tuple[str, Any]] = field(default_factory=list)
    begun: int = 0  # calls begun so far
    total: int = 0
    _rest: bytearray = field(default_factory=bytearray)

    @property
    def last(self) -> str:
        """The tag of the last frame, "" before the first."""
        return self.frames[-1][0] if self.frames else ""

    @property
    def unfinished(self) -> bool:
        """Whether part of a frame has come and the rest has not."""
        return bool(self._rest)

    def hear(self, data: bytes) -> Iterator[str]:
        """Take in `data`; yield the tag of each frame that it completes."""
        self.total += len(data)
        if self.total > MAX_TOTAL:
            raise WireError("too many frames")
        self._rest += data
        while len(self._rest) >= 5:
            tag, length = chr(self._rest[0]), struct.unpack_from("<I", self._rest, 1)[0]
            if tag not in self._expected() or length > MAX_FRAME:
                raise WireError(f"an unexpected frame {tag!r}")
            if len(self._rest) < 5 + length:
                return
            text = bytes(self._rest[5 : 5 + length])
            if text.count(b"[") + text.count(b"{") > MAX_BRACKETS:
                raise WireError("a frame of too many parts")
            content = strict_json(text) if text else {}
            del self._rest[: 5 + length]
            self._accept(tag, content)
            yield tag

    def _expected(self) -> str:
        if self.last in ("L", "R", "X", "W"):
            if self.begun == self.call_count:
                return "DG"
            return "WG" if self.begun == self.open_count and self.last != "W" else "BG"
        if self.last == "B":  # what is asked for in a hidden call could speak of it to the next run
            return "RXNOG" if self.begun <= self.open_count else "RXOG"
        return {"": "SG", "S": "LFNOG"}.get(self.last, "")

    def _accept(self, tag: str, content: Any) -> None:
        needed, possible = KEYS[tag]
        if type(content) is not dict or not needed <= content.keys() <= needed | possible:
            raise WireError("a frame with other keys")
        if "call" in content and (type(content["call"]) is not int or content["call"] != self.begun - (tag != "B")):
            raise WireError("a frame about another call")
        if "printed" in content and (type(content["printed"]) is not int or content["printed"] < 0):
            raise WireError("a malformed count")
        self.begun += tag == "B"
        self.frames.append((tag, content))
