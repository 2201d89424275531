"""In the warm process: a network, System V objects and mounts of its own, and an empty folder for its children to have as their root."""

from __future__ import annotations

import os
from pathlib import Path

from lockdown import CLONE_NEWIPC, failed, libc, syscall  # type: ignore[import-not-found]

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWUSER, CLONE_NEWNET = 1 << 17, 1 << 26, 1 << 28, 1 << 30
CONFIG_STRING, CONFIG_CREATE, CLOSE_ON_EXEC = 1, 6, 1
READ_ONLY_AND_INERT = 0xF  # MOUNT_ATTR_RDONLY | NOSUID | NODEV | NOEXEC


def take() -> int:
    """Move this process into a network, System V objects and mounts of its own; return the descriptor of an empty folder to be a root.

    Nothing is mounted anywhere: the folder is a file system without a name, read-only, and goes with the last process that has it.
    An ordinary user gets the right to that from a user namespace, in which they stay who they are. The process keeps all its files until
    a child makes the empty folder its root.
    """
    user, group = os.geteuid(), os.getegid()
    flags = CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET | (CLONE_NEWUSER if user else 0)
    if libc.unshare(flags):
        raise failed("unshare")
    if user:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path(f"/proc/self/{name}").write_text(text)
    made = syscall("fsopen", b"tmpfs", CLOSE_ON_EXEC)
    for key, value in ((b"size", b"4k"), (b"mode", b"0555")):
        syscall("fsconfig", made, CONFIG_STRING, key, value, 0)
    syscall("fsconfig", made, CONFIG_CREATE, None, None, 0)
    root: int = syscall("fsmount", made, CLOSE_ON_EXEC, READ_ONLY_AND_INERT)
    os.close(made)
    return root
