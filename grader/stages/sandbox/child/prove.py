"""Which layers hold on this machine: each is put on a forked child, which then does what the layer forbids."""

from __future__ import annotations

import functools
import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

import lockdown  # type: ignore[import-not-found]
import namespaces  # type: ignore[import-not-found]

ROOMY = {"memory": 1 << 32, "cpu": 60, "file": 0}


class Holds(Exception):
    """What should have been refused was done."""


def refused(what: str, act: Callable[[], Any]) -> None:
    try:
        act()
    except (OSError, ValueError):  # ValueError is how `resource` words EPERM
        return
    raise Holds(f"{what} was not refused")


def look_at_files() -> None:
    refused("reading a file", lambda: os.close(os.open(__file__, os.O_RDONLY)))
    refused("listing a folder", lambda: os.listdir(sys.prefix))
    refused("making a file", lambda: os.close(os.open("/tmp/grader-probe", os.O_CREAT | os.O_WRONLY | os.O_EXCL)))


def reach_out() -> None:
    parent = os.getppid()
    refused("looking at a file", lambda: os.stat("/"))  # noqa: PTH116
    refused("a socket", socket.socket)
    refused("a signal to another process", lambda: os.kill(parent, 0))
    refused("a new process", fork_and_leave)
    refused("a program", lambda: os.execv(sys.executable, [sys.executable, "-c", ""]))
    refused("higher limits", lambda: lockdown.limit("RLIMIT_NOFILE", 128))


def fork_and_leave() -> None:
    if os.fork() == 0:
        os._exit(0)
    os.wait()


def landlock() -> None:
    abi = lockdown.landlock_abi()
    if not abi:
        raise OSError("the kernel has no Landlock, or it is switched off")
    ruleset = lockdown.landlock_ruleset(abi)
    lockdown.lock({"privileges": True, "landlock": True}, ROOMY, ruleset)
    look_at_files()


def seccomp() -> None:
    if not lockdown.NUMBER:
        raise OSError(f"no table of system calls for {lockdown.MACHINE}")
    lockdown.lock({"privileges": True, "seccomp": True}, ROOMY)
    look_at_files()
    reach_out()


def own_namespaces() -> None:
    root = namespaces.take()
    lockdown.lock({"privileges": True, "namespaces": True}, ROOMY, root=root)
    look_at_files()
    refused("looking at a file", lambda: os.stat(__file__))  # noqa: PTH116
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        refused("sending something", lambda: sender.sendto(b"", ("127.0.0.1", 9)))


def privileges() -> None:
    lockdown.lock({"privileges": True}, ROOMY)
    if lockdown.libc.prctl(39, 0, 0, 0, 0) != 1 or lockdown.libc.prctl(3, 0, 0, 0, 0) != 0:
        raise Holds("no_new_privs or undumpable did not stay")


def can_be_ended(number: int) -> None:
    """Raise PermissionError where a process that has become this user is out of our reach: it could not be stopped."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        try:
            lockdown.become(number)
            theirs.send(b"now")
            theirs.recv(1)  # until it is ended, or we have gone
        finally:
            os._exit(0)
    theirs.close()
    if ours.recv(3):
        os.kill(pid, signal.SIGKILL)
    ours.close()
    os.waitpid(pid, 0)


def user(number: int) -> None:
    can_be_ended(number)
    lockdown.lock({"user": number, "privileges": True}, ROOMY)
    if set(os.getresuid()) | set(os.getresgid()) != {number}:
        raise Holds("the user did not change")
    refused("becoming root again", lambda: os.setresuid(0, 0, 0))


def in_child(act: Callable[[], None]) -> str:
    """Run `act` in a forked child; return "" when it returned, else what it raised, in words."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(10)
        try:
            act()
            os._exit(0)
        except BaseException as error:
            os.write(writing, f"{error}"[:400].encode())
        os._exit(1)
    os.close(writing)
    said = os.read(reading, 1000).decode(errors="replace")
    os.close(reading)
    status = os.waitpid(pid, 0)[1]
    return "" if status == 0 else said or f"the test process ended with status {status}"


def layers_that_hold() -> tuple[dict[str, Any], dict[str, str]]:
    """Return the layers as `lockdown.lock` takes them, and for each that does not hold the reason."""
    layers: dict[str, Any] = {}
    why: dict[str, str] = {}
    for name, act in (
        ("namespaces", own_namespaces),
        ("privileges", privileges),
        ("landlock", landlock),
        ("seccomp", seccomp),
    ):
        said = in_child(act)
        if said:
            why[name] = said
        else:
            layers[name] = True
    if os.geteuid() == 0:
        for number in lockdown.OWN_USERS:
            said = in_child(functools.partial(user, number))
            if not said:
                layers["user"] = number
                break
            why["user"] = said
    return layers, why
