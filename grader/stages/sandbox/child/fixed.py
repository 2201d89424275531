"""Starts another script of this folder without random addresses, where the system allows that: `fixed.py SCRIPT ARGUMENT…`.

Addresses decide the order of a set of objects, and the same submission is to give the same results whenever it is run. Only the next
program that a process starts is laid out anew, so this one does nothing else.
"""

from __future__ import annotations

import ctypes
import os
import sys

ASK, ADDR_NO_RANDOMIZE = 0xFFFFFFFF, 0x0040000  # personality(2)

if __name__ == "__main__":
    personality = ctypes.CDLL(None).personality
    personality.argtypes = (ctypes.c_ulong,)
    now = personality(ASK)
    if now >= 0:
        personality(now | ADDR_NO_RANDOMIZE)
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1 : -len(sys.argv)], *sys.argv[1:]])
