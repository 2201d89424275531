"""In the warm process: its own memory in pages of 2 MB, so that a fork copies one entry where it copied 512.

Forking and ending a process are mostly the copying and dropping of its page table. Nothing depends on this: where the kernel does not
know it, or has no such page to give, everything stays as it was.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

from lockdown import libc  # type: ignore[import-not-found]

PAGE = 2 << 20
COLLAPSE = 25  # madvise(2): MADV_COLLAPSE, since Linux 6.1


def pieces() -> Iterator[int]:
    """The address of each whole huge page of this process's own memory: private, writable, of no file."""
    with open("/proc/self/maps") as file:
        lines = file.read().splitlines()
    for line in lines:
        span, rights, _, _, inode, *_ = line.split()
        begin, end = (int(number, 16) for number in span.split("-"))
        if rights == "rw-p" and inode == "0":
            yield from range(-(-begin // PAGE) * PAGE, end // PAGE * PAGE, PAGE)


def gather(address: int) -> bool:
    """Make one huge page of what lies at `address`, which takes some milliseconds; return whether there is one now."""
    return int(libc.madvise(ctypes.c_void_p(address), ctypes.c_size_t(PAGE), COLLAPSE)) == 0
