"""How a child interpreter is started: which command, which environment, which folders it may import from, which limits."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from grader.model import Limits
from grader.stages.sandbox.watch import Heard

CHILD = Path(__file__).with_name("child")

# What an interpreter may need from ours to start at all; none of it is a learner's to set.
KEPT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "SYSTEMDRIVE")
VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")

T = TypeVar("T")
Reader = Callable[[int, int], bytes]
Conclude = Callable[[Heard, int, Reader], T]
"""Called with what was heard, the wait status, and a reader (offset, length) of the result area of a child that is dead."""


class Trouble(Exception):
    """Something of ours failed: the warm process died, or a child could not be set up."""


def command(script: str) -> list[str]:
    """The start of the command line of a child script.

    -S: an editable install would put a course on the child's path. -s and the environment below keep out what -I keeps out;
    -I itself would also ignore PYTHONHASHSEED, and the order of sets would differ from run to run.
    """
    return [sys.executable, "-s", "-S", str(CHILD / script)]


def environment(on_gpu: bool) -> dict[str, str]:
    """The whole environment of a child: nothing of the judge's but what its interpreter needs.

    Devices are hidden where none is asked for: autograd would start a thread for each, which the lock forbids.
    """
    kept = {name: os.environ[name] for name in (*KEPT, *(VISIBLE if on_gpu else ())) if name in os.environ}
    threads = (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
    )
    return {
        **kept,
        **({} if on_gpu else dict.fromkeys(VISIBLE, "-1")),
        **dict.fromkeys(threads, "1"),  # a fork after a parallel operation hangs
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",  # a fork copies the tables of memory: fewer pages, half the time
        "LANG": "C.UTF-8",
        "PATH": os.defpath,
        "HOME": "/nonexistent",
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
    }


def import_paths(modules: Iterable[str]) -> list[str]:
    """The folders that hold these top-level modules, without importing any of them; unknown ones are left out."""
    found: dict[str, None] = {}
    for name in modules:
        try:
            spec = importlib.util.find_spec(name.partition(".")[0])
        except (ImportError, ValueError):
            spec = None
        if spec is None:
            continue
        places = list(spec.submodule_search_locations or ()) or (
            [spec.origin] if spec.has_location and spec.origin else []
        )
        for place in places:
            found[str(Path(place).parent)] = None
    standard = {str(Path(os.__file__).parent), str(Path(os.__file__).parent / "lib-dynload")}
    return [place for place in found if place not in standard]


def limits_for(limits: Limits, file_bytes: int, on_gpu: bool = False) -> Mapping[str, int]:
    """The limits that the kernel keeps: memory exactly, CPU seconds as a second line behind the watch."""
    cpu = int(limits.total_seconds + limits.import_seconds) + 5
    return {"memory": limits.memory_mb << 20, "cpu": cpu, "file": file_bytes, "gpu": int(on_gpu)}
