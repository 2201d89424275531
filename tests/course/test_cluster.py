"""A class graded on a Dask scheduler with workers of their own: the same bytes, whoever dies; and what is said where there is none."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result
from small_class import RIGHT_HALVE, RIGHT_MIX, WRONG_HALVE, learners, write_course, write_files

from grader.cli import cli
from grader.course.batch import Class, Progress, Stopped, grade_class
from grader.course.batch.identity import versions_of
from grader.course.batch.remote import OtherVersion, order_of, setup_here
from grader.course.batch.tasks import Done, Setup, Task, course_at
from grader.course.downloads import Wanted, find_entries
from grader.course.store import FILE, Store
from grader.course.store.codec import dumps
from grader.model import Isolation, Response, Verdict, message
from grader.model import Result as Graded


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def dask(*command: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command of Dask in a process of its own, for as long as the block lasts."""
    code = f"from distributed.cli.dask_{command[0]} import main; main()"
    env = {**os.environ, "OMP_NUM_THREADS": "1", **environment}
    process = subprocess.Popen(
        [sys.executable, "-c", code, *command[1:]], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


@contextmanager
def cluster(protocol: str = "tcp", **environment: str) -> Iterator[str]:
    """A scheduler without workers; its address."""
    address = ("--protocol", protocol, "--host", "127.0.0.1", "--port", port := str(free_port()))
    with dask("scheduler", *address, "--no-dashboard", "--no-show", **environment):
        yield f"{protocol}://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    with cluster() as address:
        yield address


@contextmanager
def worker_of(address: str, root: Path, *more: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker without a nanny: killed, it stays dead."""
    given = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(root), *more)
    with dask("worker", address, *given, **environment) as process:
        yield process


@pytest.fixture(scope="module")
def worker(scheduler: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with worker_of(scheduler, tmp_path_factory.mktemp("scratch")):
        yield scheduler


@pytest.fixture
def class_(tmp_path: Path) -> Path:
    write_course(tmp_path / "course")
    learners(tmp_path / "subs")
    return tmp_path


def grade(root: Path, out: str, *more: object) -> Result:
    course_at.cache_clear()
    given = ("grade", root / "subs", "--out", root / out, "--course", root / "course", "--isolation", "best", *more)
    return CliRunner().invoke(cli, ["course", *map(str, given)])


def left_by(root: Path, out: str) -> dict[str, Any]:
    """Return all that a run has left, clock fields apart."""
    with sqlite3.connect(root / out / FILE) as db:
        columns = "attempt, slug, kind, key, parts, given, verdict, score, max_score, fault, result"
        records = db.execute(f"select {columns} from piece order by attempt, slug").fetchall()
        attempts = db.execute("select * from attempt order by id").fetchall()
    db.close()
    pages = {path.name: path.read_bytes() for path in (root / out / "reports").iterdir()}
    sheet = CliRunner().invoke(cli, ["course", "gradebook", str(root / out)]).stdout_bytes
    return {"records": records, "attempts": attempts, "pages": pages, "sheet": sheet}


# ---------------------------------------------------------------- without a cluster


def test_a_run_here_needs_no_dask() -> None:
    code = "import sys, grader.cli.course.grade; sys.exit('distributed' in sys.modules or 'dask' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_dask_the_command_to_install_it_is_said(class_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "grader.course.batch.cluster", raising=False)
    result = grade(class_, "out", "--scheduler", "tcp://127.0.0.1:8786")
    assert (result.exit_code, (class_ / "out").exists()) == (2, False)
    assert 'pip install "attention-grader[cluster]"' in result.stderr


@pytest.mark.parametrize(
    ("address", "code", "said"),
    [
        ("tcp://127.0.0.1:1", 4, "There is no scheduler to reach at tcp://127.0.0.1:1: "),
        ("nonsense", 2, "nonsense is no address of a scheduler, such as tcp://host:8786"),
        ("http://127.0.0.1:1", 2, "is no address of a scheduler"),
        ("tls://127.0.0.1:1", 2, "needs certificates: set distributed.comm.tls"),
    ],
)
def test_an_address_that_leads_nowhere_is_said_and_nothing_is_written(
    class_: Path, monkeypatch: pytest.MonkeyPatch, address: str, code: int, said: str
) -> None:
    monkeypatch.setattr("grader.course.batch.cluster.CONNECT", 0.5)
    result = grade(class_, "out", "--scheduler", address)
    assert said in result.stderr
    assert (result.exit_code, (class_ / "out").exists()) == (code, False)


def test_without_cuda_here_nothing_is_graded_for_it(class_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without = SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: False), __version__="2")
    monkeypatch.setitem(sys.modules, "torch", without)
    result = grade(class_, "out", "--device", "cuda")
    assert "There is no CUDA here" in result.stderr
    assert (result.exit_code, (class_ / "out").exists()) == (4, False)


# ---------------------------------------------------------------- with one


def test_a_scheduler_without_workers_is_said(class_: Path, scheduler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.course.batch.cluster.ARRIVE", 0.2)
    result = grade(class_, "out", "--scheduler", scheduler)
    assert f"has no workers: start one with dask worker {scheduler}" in result.stderr
    assert (result.exit_code, (class_ / "out").exists()) == (4, False)


def test_workers_leave_the_same_bytes_as_a_run_here(class_: Path, worker: str) -> None:
    here = grade(class_, "here", "--jobs", 1)
    there = grade(class_, "there", "--scheduler", worker)
    assert (here.exit_code, there.exit_code) == (0, 0), here.output + there.output
    assert left_by(class_, "there") == left_by(class_, "here")
    again = grade(class_, "there", "--scheduler", worker)
    assert "0 answers graded, 10 as before" in again.stderr


def test_work_for_cuda_asks_for_a_worker_that_offers_a_gpu(class_: Path, worker: str) -> None:
    result = grade(class_, "out", "--scheduler", worker, "--device", "cuda")
    assert "offers a GPU: start one with --resources GPU=1" in result.stderr
    assert (result.exit_code, (class_ / "out").exists()) == (4, False)


def test_a_worker_with_another_course_grades_nothing(class_: Path, worker: str) -> None:
    assert grade(class_, "out", "--scheduler", worker, "--exercise", "recall").exit_code == 0
    path = class_ / "course" / "exercises" / "01_halve.yaml"
    path.write_text(path.read_text().replace("points: 4", "points: 5"))
    result = grade(class_, "new", "--scheduler", worker)
    assert "cannot grade: the course in" in result.stderr
    assert "is another version there" in result.stderr
    assert (result.exit_code, (class_ / "new").exists()) == (4, False)


def count(out: Path) -> int:
    if not (out / FILE).is_file():
        return 0
    try:
        with sqlite3.connect(out / FILE, timeout=5) as db:
            return int(db.execute("select count(*) from piece").fetchone()[0])
    except sqlite3.OperationalError:  # not made yet
        return 0
    finally:
        db.close()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    write_course(tmp_path / "course")
    for at in range(12):
        files = {"halve.py": RIGHT_HALVE if at % 3 else WRONG_HALVE, "mix.py": RIGHT_MIX}
        write_files(tmp_path / "subs" / f"learner{at:02}", {name: f"{text}# {at}\n" for name, text in files.items()})
    assert grade(tmp_path, "here", "--jobs", 1).exit_code == 0
    seen: list[int] = []

    def kill(process: subprocess.Popen[bytes]) -> None:
        while count(tmp_path / "there") < 4:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        seen.append(count(tmp_path / "there"))

    with cluster() as address, worker_of(address, tmp_path / "1") as one, worker_of(address, tmp_path / "2"):
        threading.Thread(target=kill, args=(one,), daemon=True).start()
        result = grade(tmp_path, "there", "--scheduler", address)
    assert result.exit_code == 0, result.output
    assert one.returncode == -signal.SIGKILL
    assert seen[0] < 24
    assert left_by(tmp_path, "there") == left_by(tmp_path, "here")


DEADLY = """\
import os


def halve(x):
    parent = os.getppid()
    while True:
        with open(f"/proc/{parent}/cmdline") as file:
            if "spawn_main" in file.read():
                os.kill(parent, 9)
        with open(f"/proc/{parent}/stat") as file:
            parent = int(file.read().rpartition(")")[2].split()[1])
"""


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(sys.platform != "linux", reason="it finds its worker in /proc")
def test_what_kills_its_worker_each_time_is_set_aside_and_nobody_else_is(class_: Path) -> None:
    write_files(class_ / "subs", {"eve2/halve.py": DEADLY})
    scratch = ("--nthreads", "1", "--no-dashboard", "--local-directory", str(class_ / "scratch"))
    with cluster(DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as address, dask("worker", address, *scratch):
        result = grade(class_, "there", "--scheduler", address, "--isolation", "none", "--jobs", 4)
        again = grade(class_, "there", "--scheduler", address, "--isolation", "none")
    assert (result.exit_code, again.exit_code) == (3, 3), result.output
    assert "eve2, halve: set aside" in result.stderr
    assert "0 answers graded, 11 as before" in again.stderr
    with Store(class_ / "there") as store:
        names = {attempt.id: attempt.name for attempt in store.attempts()}
        found = {(names[record.attempt], record.slug): record for record in store.records()}
    assert found["eve2", "halve"].verdict == "grader_error"
    assert found["eve2", "halve"].max_score == 0
    assert [key for key, record in found.items() if record.verdict == "grader_error"] == [("eve2", "halve")]


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(shutil.which("openssl") is None, reason="a certificate is made with openssl")
def test_certificates_are_taken_from_the_configuration_of_dask(class_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dask.config import set as configured

    both = class_ / "both.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1"]
    subprocess.run([*made, "-keyout", "key.pem", "-out", "cert.pem"], cwd=class_, check=True, capture_output=True)
    both.write_text((class_ / "cert.pem").read_text() + (class_ / "key.pem").read_text())
    environment = {f"DASK_DISTRIBUTED__COMM__TLS__{side.upper()}__CERT": str(both) for side in ("scheduler", "worker")}
    environment["DASK_DISTRIBUTED__COMM__TLS__CA_FILE"] = str(class_ / "cert.pem")
    environment["DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION"] = "True"
    there = {"distributed.comm.tls.ca-file": str(class_ / "cert.pem"), "distributed.comm.tls.client.cert": str(both)}
    with cluster("tls", **environment) as address, worker_of(address, class_ / "scratch", **environment):
        bare = grade(class_, "bare", "--scheduler", address)
        monkeypatch.setattr("grader.course.batch.cluster.CONNECT", 2.0)
        plain = grade(class_, "plain", "--scheduler", address.replace("tls:", "tcp:"))
        monkeypatch.undo()
        with configured(there):
            whole = grade(class_, "there", "--scheduler", address)
    assert (bare.exit_code, plain.exit_code, whole.exit_code) == (2, 4, 0), whole.output
    assert count(class_ / "there") == 10


# ---------------------------------------------------------------- what becomes of work


class Died(Exception):
    def __init__(self, workers: int):
        super().__init__(workers)
        self.workers = workers


class Elsewhere(Executor):
    """An executor that does not grade: `judge` says what comes of a task, or raises. Keeps how often each was tried before."""

    def __init__(self, judge: Callable[[Task], Done]):
        self.judge = judge
        self.tries: dict[tuple[int, str], list[int]] = {}

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        task: Task = args[1]
        self.tries.setdefault((task.attempt, task.piece.slug), []).append(task.tries)
        try:
            future.set_result(self.judge(task))
        except Exception as error:
            future.set_exception(error)
        return future


def passed(task: Task) -> Done:
    kind = "quiz" if isinstance(task.piece.given, Response) else "exercise"
    return Done(task, Graded(kind, task.piece.slug, {}, Verdict.PASSED, 4.0, 4.0), 0.1)


def judged(
    root: Path, executor: Executor, jobs: int = 2, check: Callable[[], None] = lambda: None
) -> tuple[Progress, dict[tuple[str, str], str]]:
    """Grade with an executor whose workers may die; return how that went, and the verdicts."""
    course_at.cache_clear()
    course, _ = course_at(root / "course")
    setup = Setup(root / "course")
    entries = find_entries(root / "subs")
    progress = Progress(len(entries))
    with Store(root / "out", writing=True) as store:
        versions = versions_of(course, seed=0, secret=setup.secret, device="cpu", level="strict")
        dead = lambda error: error.workers if isinstance(error, Died) else 0  # noqa: E731
        grade_class(Class(store, setup, versions, Wanted.of(course), executor, jobs, dead, check), entries, progress)
        names = {attempt.id: attempt.name for attempt in store.attempts()}
        return progress, {(names[record.attempt], record.slug): record.verdict for record in store.records()}


def deadly(task: Task) -> bool:
    return task.piece.slug == "mix" and "raise" in dumps(task.piece.given)


@pytest.mark.parametrize(("workers", "tries"), [(1, [0, 1, 2]), (2, [0, 2]), (4, [0, 2])])
def test_only_what_kills_workers_when_it_is_alone_is_set_aside(class_: Path, workers: int, tries: list[int]) -> None:
    def judge(task: Task) -> Done:
        if deadly(task):
            raise Died(workers)
        return passed(task)

    executor = Elsewhere(judge)
    progress, found = judged(class_, executor)
    assert [key for key, verdict in found.items() if verdict != "passed"] == [("ben", "mix")]
    assert found["ben", "mix"] == "grader_error"
    assert [(name, slug, what) for name, slug, what in progress.faults] == [("ben", "mix", "set aside")]
    assert tries in executor.tries.values()
    assert sum(len(each) for each in executor.tries.values()) == 9 + len(tries)
    again = Elsewhere(passed)
    progress, found = judged(class_, again)
    assert (again.tries, found["ben", "mix"], len(progress.faults)) == ({}, "grader_error", 1)


def test_who_was_beside_a_worker_that_died_is_graded(class_: Path) -> None:
    died: list[str] = []

    def judge(task: Task) -> Done:
        if deadly(task) and not task.tries:
            died.append(task.key)
            raise Died(4)
        return passed(task)

    progress, found = judged(class_, Elsewhere(judge))
    assert set(found.values()) == {"passed"}
    assert (progress.faults, len(died), progress.graded) == ([], 1, 10)
    with Store(class_ / "out") as store:
        assert store.db.execute("select count(*) from trial").fetchone() == (0,)


def test_work_that_is_dropped_ends_the_run_and_the_next_one_goes_on(class_: Path) -> None:
    def dropped(task: Task) -> Done:
        if task.piece.slug == "recall":
            raise CancelledError
        return passed(task)

    with pytest.raises(Stopped, match="The scheduler has dropped the work"):
        judged(class_, Elsewhere(dropped))
    there = count(class_ / "out")
    assert 0 < there < 10
    again = Elsewhere(passed)
    progress, found = judged(class_, again)
    assert (len(again.tries), progress.kept, len(found)) == (10 - there, there, 10)
    assert not any(tries for each in again.tries.values() for tries in each)


def test_a_run_without_any_result_asks_whether_anybody_is_left(class_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(Elsewhere):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            return Future()

    def nobody() -> None:
        raise Stopped(message("Nobody is left."))

    monkeypatch.setattr("grader.course.batch.window.PATIENCE", 0.01)
    with pytest.raises(Stopped, match="Nobody is left"):
        judged(class_, Silent(passed), check=nobody)


def test_workers_that_stay_away_end_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    from grader.course.batch import cluster as module

    there: dict[str, Any] = {"tcp://a:1": {"nthreads": 2, "resources": {}}}
    client: Any = SimpleNamespace(get_executor=lambda **_: None, scheduler_info=lambda n_workers: {"workers": there})
    made = module.Cluster(client, "tcp://s:1", SimpleNamespace(setup=Setup(Path())))  # type: ignore[arg-type]
    assert made.workers() == {"tcp://a:1": 2}
    made.check()
    there.clear()
    made.check()  # they may be starting again
    monkeypatch.setattr(module, "GONE", -1.0)
    with pytest.raises(Stopped, match="All workers of"):
        made.check()
    client.scheduler_info = lambda n_workers: 1 / 0
    with pytest.raises(Stopped, match="is gone"):
        made.check()


def test_a_scheduler_that_goes_away_is_said_and_what_is_graded_is_kept(
    class_: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader.course.batch import cluster as module

    class Fading(Elsewhere):
        isolation = staticmethod(lambda: Isolation("best"))
        workers = staticmethod(lambda: {"tcp://a:1": 1})
        check = staticmethod(lambda: None)

    def judge(task: Task) -> Done:
        if count(class_ / "out") >= 2:
            raise CancelledError
        return passed(task)

    monkeypatch.setattr(module, "cluster_at", lambda *_: nullcontext(Fading(judge)))
    result = grade(class_, "out", "--scheduler", "tcp://127.0.0.1:1")
    assert "What is graded is kept; the same command goes on with the rest." in result.stderr
    assert result.exit_code == 4
    assert count(class_ / "out") >= 2


def test_another_course_or_grader_is_refused_where_work_runs(class_: Path) -> None:
    course, _ = course_at(class_ / "course")
    setup = Setup(class_ / "course", cache=class_ / "cache")
    versions = versions_of(course, seed=0, secret=b"", device="cpu", level="strict")
    there = setup_here(order_of(setup, str(class_ / "course"), versions), str(class_ / "own"))
    assert (there.root, there.cache) == (class_ / "course", class_ / "own" / "expectations")
    other = order_of(setup, str(class_ / "course"), replace(versions, grader="0"))
    with pytest.raises(OtherVersion, match="is another version there") as refused:
        setup_here(other, str(class_ / "own"))
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


def test_a_secret_is_in_no_log() -> None:
    assert "hush" not in repr(Setup(Path(), secret=b"hush"))
