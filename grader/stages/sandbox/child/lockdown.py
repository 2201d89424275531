"""The layers that hold one process of learner code on Linux: limits, namespaces, own user, no privileges, Landlock, seccomp.

By ctypes alone.

`lock` puts them on the process that calls it, in an order that matters: each step takes away the right to undo the earlier ones, and
seccomp comes last because it forbids what the others need. `prove` tries each layer in a forked child by doing what it forbids.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import os
import platform
import resource
import signal
import struct
from collections.abc import Mapping
from typing import Any

from syscalls import ALLOWED, ARCHITECTURES, NUMBERS  # type: ignore[import-not-found]

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]

MACHINE = platform.machine()
NUMBER = NUMBERS.get(MACHINE, {})

CLONE_NEWIPC = 1 << 27

# Users that no package creates; the first one that this system lets us become is used. 65534 is "nobody".
OWN_USERS = (60577, 65534)

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
PR_SET_NAME, PR_GET_NAME, PR_SET_CHILD_SUBREAPER = 15, 16, 36


def failed(what: str) -> OSError:
    code = ctypes.get_errno()
    return OSError(code, f"{what}: {os.strerror(code)}")


def prctl(option: int, value: int = 0, second: int = 0) -> None:
    if libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(second), ctypes.c_ulong(0), ctypes.c_ulong(0)):
        raise failed(f"prctl {option}")


def syscall(name: str, *arguments: Any) -> int:
    if name not in NUMBER:
        raise OSError(errno.ENOSYS, f"no number known for {name} on {MACHINE}")
    result = int(libc.syscall(NUMBER[name], *arguments))
    if result < 0:
        raise failed(name)
    return result


def map_memory(fd: int, shared: bool) -> memoryview:
    """Map a memfd whole. By libc: Python's own mmap object would keep a second descriptor open."""
    size = os.fstat(fd).st_size
    address = libc.mmap(None, size, 3, 1 if shared else 2, fd, 0)  # PROT_READ | PROT_WRITE, MAP_SHARED or MAP_PRIVATE
    if address in (None, ctypes.c_void_p(-1).value):
        raise failed("mmap")
    return memoryview((ctypes.c_ubyte * size).from_address(address)).cast("B")


# ---------------------------------------------------------------- limits and privileges


def limit(name: str, most: int) -> None:
    """Set a limit that cannot be raised again; a lower one that is in force stays."""
    which = getattr(resource, name, None)
    if which is None:
        return
    hard = resource.getrlimit(which)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(which, (most, most))


def memory_in_use(data_alone: bool) -> int:
    """Bytes of address space, or of data, in use. Raises OSError where /proc does not tell: no limit would be no limit."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[5 if data_alone else 0]) * resource.getpagesize()


def set_limits(limits: Mapping[str, int], own_user: bool) -> None:
    """CPU seconds as a second line behind the judge's clock, no core, few descriptors, no files, memory above what is in use.

    On a GPU only data counts: its driver reserves far more address space than there is memory.
    """
    on_gpu = bool(limits.get("gpu"))
    limit("RLIMIT_CPU", limits["cpu"])
    limit("RLIMIT_CORE", 0)
    limit("RLIMIT_NOFILE", 1024 if on_gpu else 64)
    limit("RLIMIT_MEMLOCK", 0)
    limit("RLIMIT_MSGQUEUE", 0)
    limit("RLIMIT_FSIZE", limits["file"])
    if own_user:  # counts all processes of a user, so it says nothing about a user who has others
        limit("RLIMIT_NPROC", 8)
    limit("RLIMIT_DATA" if on_gpu else "RLIMIT_AS", memory_in_use(on_gpu) + limits["memory"])


def become(user: int) -> None:
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def drop_capabilities() -> None:
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0), 8)
    if libc.capset(header, ctypes.create_string_buffer(24)):
        raise failed("capset")


# ---------------------------------------------------------------- Landlock


def landlock_abi() -> int:
    """Which Landlock this kernel has, 0 for none."""
    try:
        return syscall("landlock_create_ruleset", None, ctypes.c_size_t(0), 1)
    except OSError:
        return 0


def landlock_ruleset(abi: int) -> int:
    """A descriptor of a ruleset that handles every right this ABI knows and grants none of them."""
    files = (1 << (13 if abi < 2 else 14 if abi < 3 else 15 if abi < 5 else 16)) - 1
    network = 3 if abi >= 4 else 0  # bind and connect over TCP
    scoped = 3 if abi >= 6 else 0  # abstract sockets and signals
    attributes = struct.pack("=QQQ", files, network, scoped)
    size = 8 if abi < 4 else 16 if abi < 6 else 24
    return syscall("landlock_create_ruleset", ctypes.create_string_buffer(attributes, 24), ctypes.c_size_t(size), 0)


# ---------------------------------------------------------------- seccomp

KILL, DENY, ALLOW = 0x80000000, 0x00050000 | errno.EPERM, 0x7FFF0000
NO_SUCH_CALL = 0x00050000 | errno.ENOSYS
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
X32_BIT = 0x40000000

# Calls that are allowed only with one of these values in one argument: (call, which argument, values).
# fcntl: duplicate and read flags, never F_SETOWN, F_SETSIG or F_SETFL with O_ASYNC, which send signals by proxy.
# ioctl: questions about a terminal or pipe that Python's streams ask. prctl: the thread's name.
BY_ARGUMENT = (
    ("fcntl", 1, (0, 1, 2, 3, 1030)),
    ("ioctl", 1, (0x5401, 0x5413, 0x541B, 0x5450, 0x5451)),
    ("prctl", 0, (PR_SET_NAME, PR_GET_NAME)),
)


def step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def argument_rule(number: int, which: int, values: tuple[int, ...]) -> list[bytes]:
    """Allow call `number` when the low half of argument `which` is one of `values`."""
    body = [step(LOAD, 16 + 8 * which)]
    for value in values:
        body += [step(EQUAL, value, 0, 1), step(RETURN, ALLOW)]
    body.append(step(RETURN, DENY))
    return [step(EQUAL, number, 0, len(body)), *body]


@functools.lru_cache
def common_rules() -> bytes:
    """What is the same in every child: another architecture kills, what is listed is allowed."""
    program = [step(LOAD, 4), step(EQUAL, ARCHITECTURES[MACHINE], 1, 0), step(RETURN, KILL), step(LOAD, 0)]
    if MACHINE == "x86_64":
        program += [step(AT_LEAST, X32_BIT, 0, 1), step(RETURN, KILL)]
    for name in ALLOWED:
        if name in NUMBER:
            program += [step(EQUAL, NUMBER[name], 0, 1), step(RETURN, ALLOW)]
    # so that glibc tries clone, which is denied
    program += [step(EQUAL, NUMBER["clone3"], 0, 1), step(RETURN, NO_SUCH_CALL)]
    for name, which, values in BY_ARGUMENT:
        program += argument_rule(NUMBER[name], which, values)
    return b"".join(program)


@functools.lru_cache(maxsize=1)
def seccomp_filter(pid: int) -> bytes:
    """A BPF program for process `pid`, which may send signals to itself alone. What no rule allows fails with EPERM."""
    signals = (argument_rule(NUMBER[name], 0, (pid,)) for name in ("kill", "tgkill"))
    return common_rules() + b"".join(b"".join(rule) for rule in signals) + step(RETURN, DENY)


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("steps", ctypes.c_void_p)]


def install(program: bytes) -> None:
    steps = ctypes.create_string_buffer(program, len(program))
    described = Program(len(program) // 8, ctypes.cast(steps, ctypes.c_void_p))
    prctl(PR_SET_SECCOMP, 2, ctypes.addressof(described))


# ---------------------------------------------------------------- all of them


def enter(root: int, layers: Mapping[str, Any]) -> None:
    """Make the folder `root` the root and the current folder, and let go of its descriptor: there is no way back.

    System V objects become this process's own too, so that they end with it; under seccomp there can be none.
    """
    if not layers.get("seccomp") and libc.unshare(CLONE_NEWIPC):
        raise failed("unshare")
    os.fchdir(root)
    os.chroot(".")
    os.close(root)


def alone() -> None:
    """Raise OSError when this process has another thread or a child: the layers would hold neither."""
    if len(os.listdir("/proc/self/task")) != 1:
        raise OSError(errno.EBUSY, "an import has started a thread")
    with contextlib.suppress(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
        raise OSError(errno.EBUSY, "an import has started a process")


def lock(layers: Mapping[str, Any], limits: Mapping[str, int], ruleset: int = -1, root: int = -1) -> None:
    """Put `layers` on this process, for good. The descriptors of a Landlock ruleset and of an empty root are closed."""
    alone()
    user = layers.get("user")
    os.umask(0o077)
    set_limits(limits, bool(user))
    if layers.get("namespaces"):
        enter(root, layers)
    if user:
        become(user)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # changing the user has cleared it
    if layers.get("privileges"):
        drop_capabilities()
        prctl(PR_SET_DUMPABLE, 0)
        prctl(PR_SET_NO_NEW_PRIVS, 1)
    if layers.get("landlock"):
        syscall("landlock_restrict_self", ruleset, 0)
        os.close(ruleset)
    if layers.get("seccomp"):
        install(seccomp_filter(os.getpid()))
