"""In the warm process: its own memory in pages of 2 MB, so that a fork copies one entry where it copied 512.

Forking and ending a process are mostly the copying and dropping of its page table. Nothing depends on this: where the kernel does not
know it, or has no such page to give, everything stays as it was.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator

from lockdown import libc  # type: ignore[import-not-found]

PAGE = 2 << 20
COLLAPSE = 25  # madvise(2): MADV_COLLAPSE, since Linux 6.1

# Looked up now: later it would leave something in the memory that all children have to find alike.
madvise = libc.madvise
madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def pieces() -> Iterator[int]:
    """The address of each whole huge page of this process's own memory: private, writable, of no file."""
    found: list[int] = []
    with contextlib.suppress(OSError), open("/proc/self/maps") as file:
        for line in file.read().splitlines():
            span, rights, _, _, inode, *_ = line.split()
            begin, end = (int(number, 16) for number in span.split("-"))
            if rights == "rw-p" and inode == "0":
                found += range(-(-begin // PAGE) * PAGE, end // PAGE * PAGE, PAGE)
    return iter(tuple(found))


def gather(address: int) -> None:
    """Make one huge page of what lies at `address`, which takes some milliseconds."""
    madvise(address, PAGE, COLLAPSE)
