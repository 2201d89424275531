"""One child of the warm process, from its fork to the learner's file: forked ahead of its submission, of which it knows nothing.

While the judge looks at what the last child said, the next one is forked and goes through the motions once; what is left to do when
a submission comes is to take five descriptors, lock the door and run.
"""

from __future__ import annotations

import array
import contextlib
import json
import os
import signal
import socket
from dataclasses import dataclass
from typing import Any, NamedTuple

import lockdown  # type: ignore[import-not-found]

FEED, PRINTED, FRAMES, HIGH = 0, 1, 3, 100
MESSAGE, DESCRIPTORS = 1 << 16, socket.CMSG_SPACE(5 * 4)


class Keys(NamedTuple):
    """Descriptors that a child locks itself in with, -1 for one that is not needed: they are used up."""

    ruleset: int = -1  # of Landlock
    root: int = -1  # an empty folder


@dataclass
class Ahead:
    """A child that waits at `post` for the descriptors of its run: request, feed, printed, frames, results."""

    pid: int
    pidfd: int
    post: socket.socket

    def hand(self, limits: dict[str, int], ancillary: list[tuple[int, int, bytes]]) -> None:
        """Give it its run and close what is ours of that. When it is dead already, the judge will see that from its pidfd."""
        with contextlib.suppress(OSError):
            self.post.sendmsg([json.dumps(limits).encode()], ancillary)
        for fd in descriptors_of(ancillary):
            os.close(fd)

    def close(self) -> None:
        os.close(self.pidfd)
        self.post.close()


def descriptors_of(ancillary: list[tuple[int, int, bytes]]) -> array.array[int]:
    descriptors = array.array("i")
    for _, _, data in ancillary:
        descriptors.frombytes(data)
    return descriptors


def fork_ahead(job: Any, control: socket.socket, layers: dict[str, Any], keys: Keys) -> Ahead:
    """Fork the next child. `job` is the module of that name; `control` is for the warm process alone."""
    warm = os.getpid()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pid = os.fork()
    if pid == 0:
        try:
            control.close()
            ours.close()  # or the end of the warm process would not be heard
            stand_by(job, theirs, layers, keys, warm)
        finally:
            os._exit(1)
    theirs.close()
    return Ahead(pid, os.pidfd_open(pid), ours)


def stand_by(job: Any, post: socket.socket, layers: dict[str, Any], keys: Keys, warm: int) -> None:
    """Go through the motions once, so that memory that every run writes to is this process's own already; then wait for a submission."""
    os.setsid()
    lockdown.prctl(lockdown.PR_SET_PDEATHSIG, signal.SIGKILL)
    # When memory runs out, this process goes first. In an undumpable process only root may ask for that.
    with contextlib.suppress(OSError):
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(fd, b"1000")
        os.close(fd)
    if layers.get("seccomp"):
        lockdown.seccomp_filter(os.getpid())  # which keeps it
    job.rehearse(1)
    lockdown.alone()  # part of what the lock does
    lockdown.memory_in_use(False)
    message, ancillary, _, _ = post.recvmsg(MESSAGE, DESCRIPTORS)
    if message:
        become_child(job, descriptors_of(ancillary), layers, json.loads(message), keys, warm)


def become_child(
    job: Any, descriptors: array.array[int], layers: dict[str, Any], limits: dict[str, int], keys: Keys, warm: int
) -> None:
    """Keep the five descriptors in their places and close everything else, then run the submission."""
    needed = (*descriptors, *(fd for fd in keys if fd >= 0))
    request, feed, printed, frames, results, *kept = (os.dup2(fd, HIGH + place) for place, fd in enumerate(needed))
    for fd, place in ((feed, FEED), (printed, PRINTED), (printed, 2), (frames, FRAMES)):
        os.dup2(fd, place)
    data = lockdown.map_memory(request, shared=False)
    area = lockdown.map_memory(results, shared=True)
    os.closerange(FRAMES + 1, HIGH + len(descriptors))
    os.closerange(HIGH + len(needed), 1 << 16)
    ours = Keys(*(kept.pop(0) if fd >= 0 else -1 for fd in keys))

    def lock() -> None:
        lockdown.lock(layers, limits, *ours)
        if os.getppid() != warm:  # it died before this process was bound to die with it
            os._exit(1)

    job.run(data, area, FEED, PRINTED, FRAMES, lock)
