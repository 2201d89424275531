"""The proof of the engine: a class graded undisturbed, killed and resumed, and on workers of which one dies leaves the same bytes.

`GRADER_CLASS=1000` makes it that many learners with ten exercises each; 60 unless given. Each run says how long it took.
"""

from __future__ import annotations

import hashlib
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from big_class import EXERCISES, shares, write_class

from grader.course.store import FILE

LEARNERS = int(os.environ.get("GRADER_CLASS", "60"))
ANSWERS = LEARNERS * len(EXERCISES)
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class")
    write_class(folder / "subs", LEARNERS)
    return folder


@pytest.fixture(scope="module")
def undisturbed(root: Path) -> dict[str, str]:
    with timed("undisturbed"):
        finish(root, "whole", "--jobs", "2")
    return left_by(root / "whole")


def command(root: Path, out: str, *more: str) -> list[str]:
    wanted = [part for slug in EXERCISES for part in ("--exercise", slug)]
    given = ["course", "grade", str(root / "subs"), "--out", str(root / out), "--isolation", "best", *wanted, *more]
    return [sys.executable, "-m", "grader", *given]


def finish(root: Path, out: str, *more: str) -> None:
    done = subprocess.run(command(root, out, *more), env=ENVIRONMENT, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()[-2000:]


@contextmanager
def timed(name: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds = time.perf_counter() - start
    print(f"{name}: {ANSWERS} answers in {seconds:.0f} s, {1000 * seconds / ANSWERS:.0f} ms each")


def count(out: Path) -> int:
    if not (out / FILE).is_file():
        return 0
    db = sqlite3.connect(out / FILE, timeout=5)
    try:
        return int(db.execute("select count(*) from piece").fetchone()[0])
    except sqlite3.OperationalError:  # not made yet
        return 0
    finally:
        db.close()


def left_by(out: Path) -> dict[str, str]:
    """Return digests of the gradebook, of the records without their seconds, and of each page."""
    given = [sys.executable, "-m", "grader", "course", "gradebook", str(out)]
    found = {"gradebook": subprocess.run(given, env=ENVIRONMENT, check=True, capture_output=True).stdout}
    db = sqlite3.connect(out / FILE)
    rows = db.execute(
        "select name, slug, key, verdict, score, max_score, piece.fault, result from piece join attempt on attempt = id "
        "order by name, slug"
    )
    found["records"] = b"".join(repr(row).encode() for row in rows)
    db.close()
    found |= {path.name: path.read_bytes() for path in (out / "reports").iterdir()}
    return {name: hashlib.sha256(data).hexdigest() for name, data in found.items()}


def kill_at(process: subprocess.Popen[bytes], run: subprocess.Popen[bytes], out: Path, answers: int) -> None:
    """End a process once a run has so many records."""
    while count(out) < answers:
        assert run.poll() is None, "the run ended before anything could be killed"
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_the_class_is_the_mix_that_it_says() -> None:
    assert shares(LEARNERS) == pytest.approx({"right": 0.6, "wrong": 0.3, "broken": 0.1})


@pytest.mark.timeout(4 * 3600)
def test_undisturbed_there_is_one_record_an_answer(root: Path, undisturbed: dict[str, str]) -> None:
    assert count(root / "whole") == ANSWERS
    assert len(undisturbed) == 2 + 2 * LEARNERS


@pytest.mark.timeout(4 * 3600)
def test_killed_and_resumed_it_is_the_same(root: Path, undisturbed: dict[str, str]) -> None:
    with timed("killed twice and resumed"):
        for part in (0.3, 0.6):
            given = command(root, "killed", "--jobs", "2")
            with subprocess.Popen(given, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
                kill_at(run, run, root / "killed", int(part * ANSWERS))
            assert count(root / "killed") < ANSWERS
        finish(root, "killed", "--jobs", "2")
    assert left_by(root / "killed") == undisturbed


@pytest.mark.timeout(4 * 3600)
def test_on_three_workers_of_which_one_is_killed_it_is_the_same(root: Path, undisturbed: dict[str, str]) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    address = f"tcp://127.0.0.1:{port}"
    with ExitStack() as stack, timed("on three workers, one killed"):
        dask(stack, "scheduler", "--host", "127.0.0.1", "--port", port, "--no-show")
        scratch = ("--no-nanny", "--nthreads", "1", "--local-directory", str(root / "scratch"))
        doomed, *_ = [dask(stack, "worker", address, *scratch) for _ in range(3)]
        given = command(root, "cluster", "--scheduler", address)
        with subprocess.Popen(given, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
            kill_at(doomed, run, root / "cluster", int(0.4 * ANSWERS))
            assert count(root / "cluster") < ANSWERS
            _, told = run.communicate()
        assert run.returncode == 0, told.decode()[-2000:]
    assert doomed.returncode == -signal.SIGKILL
    assert left_by(root / "cluster") == undisturbed


def dask(stack: ExitStack, what: str, *more: str) -> subprocess.Popen[bytes]:
    """Run a scheduler or worker until the stack is left."""
    code = f"from distributed.cli.dask_{what} import main; main()"
    given = [sys.executable, "-c", code, *more, "--no-dashboard"]
    process = subprocess.Popen(given, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process
