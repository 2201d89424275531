"""The judge's end of the warm process: start it, hand it a run, end it. Linux only."""

from __future__ import annotations

import array
import contextlib
import fcntl
import functools
import json
import os
import select
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from grader.model import Limits
from grader.stages.sandbox.request import Request
from grader.stages.sandbox.start import CHILD, Conclude, T, Trouble, command, environment, limits_for
from grader.stages.sandbox.watch import READY_SECONDS, Child, cpu_clock, watch

PIPE_ROOM, SET_PIPE_ROOM = 1 << 16, 1031  # bytes that a pipe holds unasked; fcntl(2): F_SETPIPE_SZ
ADD_SEALS, SEAL_ALL, SEAL_SIZE = 1033, 0xF, 0x7  # fcntl(2): F_SEAL_SEAL | SHRINK | GROW, and WRITE


class Warm:
    """One warm process. Knows its layers at once; is ready for runs once torch is imported."""

    def __init__(
        self, paths: Sequence[str], preload: Sequence[str], layers: Sequence[str] | None = None, probe: bool = False
    ):
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.complaints = tempfile.TemporaryFile()  # noqa: SIM115 - what it writes to its standard error
        try:
            self.process = self._start(theirs)
        except OSError as error:
            self.control.close()
            self.complaints.close()
            raise Trouble(f"the warm process cannot be started: {error}") from None
        finally:
            theirs.close()
        self.control.settimeout(READY_SECONDS)
        self.ready = False
        self.child: Child | None = None
        self.hold = threading.Lock()  # on the child: what `cancel` kills is not let go meanwhile
        try:
            self._send({"paths": list(paths), "preload": list(preload), "layers": layers, "probe": probe})
            hello = self._receive("layers")[0]
        except Trouble:
            self.close()
            raise
        self.layers: Mapping[str, Any] = hello["layers"]
        self.why: Mapping[str, str] = hello["why"]

    def _start(self, theirs: socket.socket) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*command("fixed.py"), str(CHILD / "serve.py"), str(theirs.fileno())],
            env=environment(on_gpu=False),
            cwd="/",
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self.complaints,
            start_new_session=True,
        )

    def wait(self) -> None:
        """Wait until it is ready for runs."""
        if not self.ready:
            said = self._receive()[0]
            if "broken" in said:
                raise Trouble(f"the warm process is not as it should be: {said['broken']}")
            self._practise()
            self.ready = True

    def _practise(self) -> None:
        """Take a turn with a submission that is none, so that the first one finds in memory what any later one does."""
        with open(os.devnull, "r+b") as nothing:
            self._send({"run": limits_for(Limits(), 0)}, [nothing.fileno()] * 5)
        os.close(self._receive("pid")[1])
        self._send({"reap": True})
        self._receive("status")

    def run(self, request: Request, limits: Limits, result_bytes: int, conclude: Conclude[T]) -> T:
        """Run one request to its end and return what `conclude` makes of it.

        Whatever else is raised meanwhile, the conversation is out of step then: the next run finds it closed, which is Trouble.
        """
        self.wait()
        try:
            return self._run(request, limits, result_bytes, conclude)
        except BaseException:
            self.control.close()
            raise

    def _run(self, request: Request, limits: Limits, result_bytes: int, conclude: Conclude[T]) -> T:
        with contextlib.ExitStack() as ours:
            with contextlib.ExitStack() as theirs:
                source = memfd(theirs, request.first, SEAL_ALL)
                results = memfd(ours, result_bytes, SEAL_SIZE)
                feed_in, feed = pipe(theirs, ours, len(request.hidden) + 8)
                frames, frames_in = pipe(ours, theirs)
                printed, printed_in = pipe(ours, theirs)
                self._send({"run": limits_for(limits, 0)}, [source, feed_in, printed_in, frames_in, results])
            told, pidfd = self._receive("pid")
            ours.callback(os.close, pidfd)
            child = held(told["pid"], pidfd, frames, printed, feed)
            reap = functools.cache(
                lambda: self._send({"reap": True})
            )  # asked for once: while it dies, done when it is dead
            child.leaves = reap
            self.child = child
            try:
                heard = watch(child, request, limits)
            finally:
                with self.hold:
                    self.child = None
                child.kill()
            reap()
            status = int(self._receive("status")[0]["status"])
            return conclude(heard, status, lambda offset, length: os.pread(results, length, offset))

    def cancel(self) -> None:
        """Kill the run that is under way, if there is one."""
        with self.hold:
            if self.child is not None:
                self.child.kill()

    def close(self) -> None:
        self.control.close()  # it leaves when its socket does
        try:
            self.process.wait(2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.complaints.close()

    def _send(self, content: Any, descriptors: Sequence[int] = ()) -> None:
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        try:
            self.control.sendmsg([json.dumps(content).encode()], ancillary)
        except OSError as error:
            raise self._trouble(error) from None

    def _receive(self, wanted: str = "") -> tuple[dict[str, Any], int]:
        """Return the next message, which has to tell of what is wanted, and the descriptor that came with it; -1 for none."""
        try:
            message, ancillary, _, _ = self.control.recvmsg(1 << 16, socket.CMSG_SPACE(4))
        except OSError as error:
            raise self._trouble(error) from None
        if not message:
            raise self._trouble(EOFError("it ended"))
        said, descriptor = json.loads(message), next((array.array("i", data)[0] for _, _, data in ancillary), -1)
        if (wanted and wanted not in said) or (wanted == "pid" and descriptor < 0):
            raise self._trouble(ValueError(f"it said {said}"))
        return said, descriptor

    def _trouble(self, error: Exception) -> Trouble:
        self.complaints.seek(0)
        said = self.complaints.read()[-2000:].decode(errors="replace").strip().splitlines()
        return Trouble(f"the warm process: {said[-1] if said else error}")


def held(pid: int, pidfd: int, frames: int, printed: int, feed: int) -> Child:
    """A child by its pidfd, which can neither go stale nor name another process."""

    def dead() -> bool:
        return bool(select.select([pidfd], [], [], 0)[0])

    def kill() -> None:
        try:
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        except ProcessLookupError:
            pass
        except PermissionError as error:
            raise Trouble(f"a child cannot be ended: {error}") from None

    return Child(frames, printed, feed, pidfd, dead, kill, cpu_clock(pid))


def pipe(reader: contextlib.ExitStack, writer: contextlib.ExitStack, room: int = 0) -> tuple[int, int]:
    """A pipe, each end closed with the stack that it belongs to. With room for so many bytes where that may be had, they go in at once."""
    reading, writing = os.pipe()
    if room > PIPE_ROOM:
        with contextlib.suppress(OSError):
            fcntl.fcntl(writing, SET_PIPE_ROOM, room)
    reader.callback(os.close, reading)
    writer.callback(os.close, writing)
    return reading, writing


def memfd(stack: contextlib.ExitStack, content: bytes | int, seals: int) -> int:
    """A sealed memfd with `content`, or that many zeros; closed with `stack`."""
    fd = os.memfd_create("grader", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    stack.callback(os.close, fd)
    if isinstance(content, int):
        os.ftruncate(fd, content)
    else:
        left = memoryview(content)
        while left:
            left = left[os.write(fd, left) :]
    fcntl.fcntl(fd, ADD_SEALS, seals)
    return fd
