"""A judge and a number of things to judge in, one verdict each out: in a process of its own, so that nothing hangs the run.

Wrong code may loop, fill the memory or bring the interpreter down. Then its process ends, and another one goes on behind it.
"""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from grader.model import GraderError, IsolationUnavailable, message

Judge = Callable[[int], Any]

GONE = "gone"
"""What stands for a verdict where the process ended before it had one."""


@dataclass(frozen=True)
class Guard:
    """What judging one thing may use. CPU seconds decide; wall time is ten times that, for what sleeps."""

    seconds: int = 20
    start_seconds: int = 300  # to get ready
    memory_mb: int = 3072  # above what the process has


GUARD = Guard()


def guarded(count: int, make: Callable[[], Judge], guard: Guard) -> Iterator[Any]:
    """Yield what the judge says of 0 … count - 1, in order; GONE where that took too long, or its process ended.

    `make` runs in the other process, once each time that one is started. Raise GraderError where it fails, and where the judge
    raises; IsolationUnavailable where a system cannot fork.
    """
    done = 0
    while done < count:
        process, results = _start(make, done, count, guard)
        try:
            _told(results, guard.start_seconds * 10)
            while done < count:
                try:
                    said = _told(results, (guard.seconds + 1) * 10)
                except _Ended:
                    yield GONE
                    done += 1
                    break
                yield said
                done += 1
        except _Ended as error:
            raise GraderError("the process that judges wrong answers ended before it could begin") from error
        finally:
            process.kill()
            process.join()
            results.close()


class _Ended(Exception):
    """Nothing more comes from the process."""


def _start(make: Callable[[], Judge], first: int, count: int, guard: Guard) -> tuple[Any, Connection]:
    if "fork" not in multiprocessing.get_all_start_methods():
        raise IsolationUnavailable(
            message("wrong answers are tried in forked processes, which this system does not offer")
        )
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_judge, args=(make, first, count, guard, there), daemon=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads: none of ours holds a lock here
        process.start()
    there.close()
    return process, here


def _told(results: Connection, seconds: float) -> Any:
    """The next thing that the process says; raise _Ended where it says nothing any more."""
    try:
        if not results.poll(seconds):
            raise _Ended
        fault, said = results.recv()
    except (EOFError, OSError) as error:
        raise _Ended from error
    if fault:
        raise GraderError(said)
    return said


def _judge(make: Callable[[], Judge], first: int, count: int, guard: Guard, results: Connection) -> None:
    """What runs in the other process."""
    warnings.simplefilter("ignore")
    try:
        _allow(guard.start_seconds)
        judge = make()
        results.send((False, None))
        _bound_memory(guard.memory_mb)
        for at in range(first, count):
            _allow(guard.seconds)
            results.send((False, judge(at)))
    except Exception as error:  # of ours, or of the reference as it is: the author has to know
        results.send((True, f"{type(error).__name__}: {error}"))


def _allow(seconds: int) -> None:
    """Let the process end after this much more CPU time."""
    import resource  # not on Windows, which cannot fork either

    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds + 1, hard))


def _bound_memory(megabytes: int) -> None:
    """Let an allocation beyond this fail, where the system says what is in use."""
    import resource

    status = Path("/proc/self/statm")
    if status.is_file():
        in_use = int(status.read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (in_use + (megabytes << 20), resource.RLIM_INFINITY))
