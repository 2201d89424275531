"""How long a save in `grader watch` takes to show its verdict, beside what the learner's own calls take. Goal: 150 ms and their time.

A terminal is watched from outside: from the write of the file to the last line of the screen that follows. Right and wrong answers
alternate: of a wrong one the mistake is looked for as well.
"""

from __future__ import annotations

import os
import pty
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from sandbox import RUN_CALLS, SLUG, plain_calls, ready

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "tests" / "submissions"
RIGHT = SAMPLES / "right" / SLUG / "textbook.py"
WRONG = SAMPLES / "wrong" / SLUG / "unscaled.py"
ROUNDS = 20


def own_seconds(source: str, calls: list[object]) -> float:
    """The least time that the calls of the plan take by themselves."""
    space: dict[str, object] = {}
    exec(RUN_CALLS, space)
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        space["run_calls"](source, SLUG, calls)  # type: ignore[operator]
        taken.append(time.perf_counter() - start)
    return min(taken)


def wait_for(fd: int, word: str) -> float:
    """Read the terminal until `word` is there; return the time of it."""
    found = ""
    while word not in found:
        if not select.select([fd], [], [], 60)[0]:
            raise TimeoutError(found)
        found += os.read(fd, 1 << 16).decode("utf-8", "replace")
    return time.perf_counter()


def saves(folder: Path) -> Iterator[float]:
    """Seconds from each save to its verdict, of a wrong and a right answer in turn; the first two, which fill the cache, are left out."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "grader", "watch", str(folder), "--lang", "en"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "XDG_CACHE_HOME": str(folder / ".cache")}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=folder)
    os.close(theirs)
    try:
        wait_for(ours, "quit")
        for number in range(ROUNDS + 2):
            time.sleep(0.3)
            (folder / f"{SLUG}.py").write_bytes((WRONG, RIGHT)[number % 2].read_bytes())
            start = time.perf_counter()
            taken = wait_for(ours, "quit") - start
            if number > 1:
                yield taken
        os.write(ours, b"q")
        process.wait(20)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def main() -> None:
    """Print both, and what is left for the grader."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        exercise, _, _ = ready(folder / "expected")
        (folder / "work").mkdir()
        taken = list(saves(folder / "work"))
        own = own_seconds(RIGHT.read_text(), plain_calls(exercise))
    print(f"{'what':<44}{'best ms':>10}{'median ms':>12}")
    for what, seconds in (("right", taken[1::2]), ("wrong", taken[::2])):
        best, middle = min(seconds) * 1e3, statistics.median(seconds) * 1e3
        print(f"{f'a save to its verdict: {what}':<44}{best:>10.0f}{middle:>12.0f}")
    print(f"{'the calls by themselves':<44}{own * 1e3:>10.0f}{'goal: 150 more':>22}")


if __name__ == "__main__":
    main()
