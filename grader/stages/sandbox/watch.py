"""Watches one child from outside: reads what it says, owns its clock, ends it. Returns what was said once it is dead."""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grader.model import Limits
from grader.stages.sandbox.dialogue import Dialogue
from grader.stages.sandbox.request import FLOOD, Request
from grader.stages.sandbox.strict import WireError

READY_SECONDS = 120.0
"""Wall time for what is ours: the fork, imports before the lock. Past it the machinery has failed, not the learner."""

GRACE_SECONDS = 2.0
"""Wall time between a child's last word, or its death, and the end of everything it held open."""

CHUNK = 1 << 18

NAP_SECONDS = 0.003
"""How long frames may wait to be read: to be woken by each of them would take the processor from the child."""

SOON = 12
"""Calls before the last one from which on no frame may wait: quick ones pass many during a nap."""

TERMINAL = ("F", "N", "O", "D", "G")
"""Frames that are a child's last word."""


@dataclass
class Child:
    """One running child, as the judge holds it. `cpu` gives its CPU seconds, or None where the system does not tell."""

    frames: int
    printed: int
    feed: int
    death: int  # becomes readable when the child is dead; -1 where there is no such descriptor
    dead: Callable[[], bool]
    kill: Callable[[], None]
    cpu: Callable[[], float | None]
    leaves: Callable[[], None] = lambda: None  # called once, when it has said its last word and should end soon


@dataclass(frozen=True)
class Heard:
    """What a dead child has said. `why` is what ended it: "" (itself), "cpu", "wall", "flood", "protocol", "setup" (it never got to the
    learner's code) or "late" (it did not leave after its last word)."""

    frames: tuple[tuple[str, Any], ...]
    printed: bytes  # before the hidden calls, cut at the cap
    printed_total: int
    why: str
    limit: float = 0.0  # the seconds that were too few
    complaint: str = ""  # what was wrong with its frames


@dataclass
class Clock:
    """CPU and wall seconds of the child since a mark, against what is allowed from there."""

    child: Child
    cpu_allowed: float
    wall_allowed: float

    def __post_init__(self) -> None:
        self.cpu_start = self.child.cpu()
        self.wall_start = time.monotonic()

    def left(self) -> tuple[float, str]:
        """Seconds until this clock has to be looked at again, and which limit it is that would be met then."""
        wall = self.wall_allowed - (time.monotonic() - self.wall_start)
        now = self.child.cpu()
        if now is None or self.cpu_start is None:
            return wall, "wall"
        cpu = self.cpu_allowed - (now - self.cpu_start)
        return (cpu, "cpu") if cpu < wall else (wall, "wall")


class Watch:
    """The loop of one run. One object, one child."""

    def __init__(self, child: Child, request: Request, limits: Limits):
        self.child, self.limits = child, limits
        self.dialogue = Dialogue(len(request.calls), request.open_count)
        self.to_feed = memoryview(len(request.hidden).to_bytes(8, "little") + request.hidden)
        self.printed, self.total, self.flooded = bytearray(), 0, 0
        self.hidden_now = False
        self.clocks: list[Clock] = [Clock(child, READY_SECONDS, READY_SECONDS)]
        self.why, self.limit, self.complaint = "", 0.0, ""
        self.poll, self.napping = select.poll(), select.poll()  # the second one without frames
        self.open = {child.frames, child.printed}

    def run(self) -> Heard:
        for fd in self.open:
            os.set_blocking(fd, False)
            self._register(fd, select.POLLIN)
        self.napping.unregister(self.child.frames)
        os.set_blocking(self.child.feed, False)
        if self.child.death >= 0:
            self._register(self.child.death, select.POLLIN)
        gone = None  # when the child was found dead
        while self.open or not self.child.dead():
            if gone is None and self.child.dead():
                gone = time.monotonic()
            if gone is not None and time.monotonic() - gone > GRACE_SECONDS:
                break  # something it left behind holds a pipe: no matter
            self._once(0.02 if gone is not None else self._patience())
        if self.dialogue.unfinished and not self.why:
            self._end("protocol", complaint="an unfinished frame")
        return Heard(tuple(self.dialogue.frames), bytes(self.printed), self.total, self.why, self.limit, self.complaint)

    def _patience(self) -> float:
        """How long to wait for the child now; ends it when a clock has run out."""
        left, which, clock = min((*clock.left(), i) for i, clock in enumerate(self.clocks))
        if left <= 0:
            if not self.why:
                said = self.clocks[clock]
                limit = said.cpu_allowed if which == "cpu" else said.wall_allowed
                why = "setup" if not self.dialogue.frames else "late" if self.dialogue.last in TERMINAL else which
                self._end(why, limit)
            return 0.02
        return left if self.child.death >= 0 else min(left, 0.05)

    def _once(self, seconds: float) -> None:
        """Wait for something to happen, and deal with it. Printed text first: it belongs to what is said afterwards."""
        if self._may_nap():
            happened = dict(self.napping.poll(min(seconds, NAP_SECONDS) * 1000))
            happened[self.child.frames] = select.POLLIN
        else:
            happened = dict(self.poll.poll(seconds * 1000 + 1))
        if self.child.death in happened:
            self._unregister(self.child.death)
            self.child.death = -1
        if self.child.printed in happened:
            self._read_printed()
        if self.child.frames in happened:
            self._read_frames()
        if self.child.feed in happened:
            self._feed()

    def _may_nap(self) -> bool:
        """Whether the child is at work, and will neither wait for the hidden calls soon nor be done."""
        told = self.dialogue
        stop = told.call_count if self.hidden_now else told.open_count
        return bool(told.frames) and told.begun + SOON < stop and self.child.frames in self.open

    def _register(self, fd: int, event: int) -> None:
        self.poll.register(fd, event)
        self.napping.register(fd, event)

    def _unregister(self, fd: int) -> None:
        self.poll.unregister(fd)
        with contextlib.suppress(KeyError):  # frames are not in it
            self.napping.unregister(fd)

    def _read(self, fd: int) -> bytes:
        """Read what is there; on the end of it stop watching."""
        try:
            data = os.read(fd, CHUNK)
        except BlockingIOError:
            return b""
        if not data:
            self._unregister(fd)
            self.open.discard(fd)
        return data

    def _read_printed(self) -> bool:
        data = self._read(self.child.printed)
        self.flooded += len(data)
        if not self.hidden_now:
            self.total += len(data)
            self.printed += data[: max(0, self.limits.printed_kb * 1024 - len(self.printed))]
        if self.flooded > FLOOD + CHUNK:  # an honest stream has stopped itself at FLOOD
            self._end("flood")
        return bool(data)

    def _read_frames(self) -> None:
        data = self._read(self.child.frames)
        if self.why:
            return
        try:
            for tag in self.dialogue.hear(data):
                self._hear(tag)
        except WireError as error:
            self._end("protocol", complaint=str(error))

    def _hear(self, tag: str) -> None:
        limits, child = self.limits, self.child
        total = self.clocks[:1]
        if tag == "S":
            total = [self._clock(limits.total_seconds)]
            self.clocks = [*total, self._clock(limits.import_seconds)]
        elif tag == "B":
            self.clocks = [*total, self._clock(limits.call_seconds)]
        elif tag in TERMINAL:
            child.cpu = lambda: None  # once it is reaped, its pid may be another's
            self.clocks = [Clock(child, GRACE_SECONDS, GRACE_SECONDS)]
            child.leaves()
        else:
            self.clocks = total
        if tag == "W":
            while child.printed in self.open and self._read_printed():
                pass  # what it printed before it asked for the hidden calls is shown, nothing after
            self.hidden_now = True
            self._register(child.feed, select.POLLOUT)

    def _clock(self, seconds: float) -> Clock:
        return Clock(self.child, seconds, seconds * self.limits.wall_factor)

    def _feed(self) -> None:
        try:
            self.to_feed = self.to_feed[os.write(self.child.feed, self.to_feed[:CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self.to_feed = self.to_feed[:0]
        if not self.to_feed:
            self._unregister(self.child.feed)

    def _end(self, why: str, limit: float = 0.0, complaint: str = "") -> None:
        if not self.why:
            self.why, self.limit, self.complaint = why, limit, complaint
        self.child.kill()


def watch(child: Child, request: Request, limits: Limits) -> Heard:
    """Watch `child` to its end, which comes within the limits; return what it said. Closes none of its descriptors."""
    return Watch(child, request, limits).run()


def cpu_clock(pid: int) -> Callable[[], float | None]:
    """CPU seconds of process `pid` and its threads, read from outside; None where the system does not tell, or no longer."""
    clock = (~pid << 3) | 2  # what clock_getcpuclockid(3) returns on Linux

    def cpu() -> float | None:
        try:
            return time.clock_gettime(clock)
        except (OSError, AttributeError, OverflowError):
            return None

    return cpu
