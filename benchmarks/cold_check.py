"""How long a cold `grader check` of one file takes, as a multiple of `python -c "import torch"`, both in this run.

Expectations are known: a first check fills the cache. Goal: at most 1.5 times.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "tests" / "submissions" / "right" / "attention" / "textbook.py"
ROUNDS = 9
PLAIN = 'python -c "import torch"'


def seconds(command: list[str], folder: str, environment: dict[str, str]) -> float:
    """Return the wall time of a command that has to succeed."""
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Alternate the two commands and print medians and their ratio."""
    check = [sys.executable, "-m", "grader", "check", str(SAMPLE), "--exercise", "attention", "--isolation", "best"]
    plain = [sys.executable, "-c", "import torch"]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CACHE_HOME": folder, "PYTHONPATH": str(ROOT)}
        seconds(check, folder, environment)  # fills the cache of expectations
        seconds(plain, folder, environment)
        pairs = [(seconds(plain, folder, environment), seconds(check, folder, environment)) for _ in range(ROUNDS)]
    torch, grader = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(f"{'command':<40}{'median s':>10}{'ratio':>8}")
    print(f"{PLAIN:<40}{torch:>10.2f}{1:>8.2f}")
    print(f"{'grader check, cold, expectations known':<40}{grader:>10.2f}{grader / torch:>8.2f}")


if __name__ == "__main__":
    main()
