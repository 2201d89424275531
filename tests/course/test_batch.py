"""A class through the real road, killed and started again; and what becomes of submissions that nobody planned for."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from small_class import RIGHT_HALVE, RIGHT_MIX, WRONG_HALVE, learners, write_course, write_files

from grader.course.batch import Class, Progress, grade_class
from grader.course.batch.identity import versions_of
from grader.course.batch.tasks import BENCH, Done, Setup, Task, close_all, course_at
from grader.course.downloads import Wanted, find_entries
from grader.course.store import FILE, InUse, Store
from grader.course.store.codec import dumps, loads
from grader.course.workspace import starter
from grader.model import Message, Outcome, Response, Result, Submission, Tensor, Verdict
from grader.stages.expect import load_reference

Kept = dict[tuple[str, str], str]


@pytest.fixture
def class_(tmp_path: Path) -> Iterator[Path]:
    write_course(tmp_path / "course")
    learners(tmp_path / "subs")
    yield tmp_path
    close_all()


def command(root: Path, out: str, *more: str) -> list[str]:
    given = ["course", "grade", str(root / "subs"), "--out", str(root / out), "--course", str(root / "course")]
    return [sys.executable, "-m", "grader", *given, "--jobs", "2", "--isolation", "best", *more]


def verdicts(store: Store) -> Kept:
    names = {attempt.id: attempt.name for attempt in store.attempts()}
    return {(names[record.attempt], record.slug): record.verdict for record in store.records()}


def grade(root: Path, out: str = "out", executor: Executor | None = None, level: str = "none") -> tuple[Progress, Kept]:
    """Grade in this process, with threads unless another executor is given."""
    course_root = root / "course"
    course_at.cache_clear()
    course, _ = course_at(course_root)
    setup = Setup(course_root, level=level, cache=root / out / "cache")
    entries = find_entries(root / "subs")
    progress = Progress(len(entries))
    with Store(root / out, writing=True) as store, executor or ThreadPoolExecutor(1) as pool:
        versions = versions_of(course, seed=0, secret=setup.secret, device="cpu", level=level)
        grade_class(Class(store, setup, versions, Wanted.of(course), pool, 1), entries, progress)
        return progress, verdicts(store)


class Instead(Executor):
    """An executor that does not grade: `judge` says what comes of a task."""

    def __init__(self, judge: Any):
        self.judge, self.tasks = judge, []  # type: ignore[var-annotated]

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        task: Task = args[1]
        self.tasks.append(task)
        try:
            future.set_result(self.judge(task))
        except Exception as error:
            future.set_exception(error)
        return future


def passed(task: Task) -> Done:
    kind = "quiz" if isinstance(task.piece.given, Response) else "exercise"
    return Done(task, Result(kind, task.piece.slug, {}, Verdict.PASSED, 4.0, 4.0), 0.1)


# ---------------------------------------------------------------- the real road


def test_every_submission_has_one_record_whatever_it_is(class_: Path) -> None:
    progress, found = grade(class_)
    assert found == {
        ("ann", "halve"): "passed",
        ("ann", "mix"): "passed",
        ("ann", "recall"): "passed",
        ("ben", "halve"): "failed",
        ("ben", "mix"): "errored",
        ("ben", "recall"): "failed",
        ("cat", "halve"): "errored",
        ("eve.zip", "halve"): "passed",
        ("fay.py", "halve"): "passed",
        ("fay.py", "mix"): "passed",
    }
    with Store(class_ / "out") as store:
        unread = {attempt.name for attempt in store.attempts() if attempt.problem}
        assert unread == {"dan", "gus.zip"}
        assert [person.id for person in store.learners()] == ["ann", "ben", "cat", "dan", "eve", "fay", "gus"]
        (wrong,) = [
            loads(record.result)
            for record in store.records()
            if record.verdict == "failed" and record.kind == "exercise"
        ]
    assert [diagnosis.mistakes for diagnosis in wrong.diagnoses] == [("not_halved",)]
    assert (progress.graded, progress.kept, progress.faults) == (10, 0, [])


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no file can have such a name")
def test_a_name_that_is_no_text_stops_nobody_and_stays_its_own(tmp_path: Path) -> None:
    write_course(tmp_path / "course")
    subs = tmp_path / "subs"
    names = (
        b"z\xff.py",
        b"z\xfe.py",
        b"a\nb.py",
        b"a b.py",
        b"esc\x1b[31m.py",
        b"esc.py",
        b"bad\xff/halve.py",
        b"ok/halve\xff.py",
    )
    for name in names:
        path = subs / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(RIGHT_HALVE)
    for _ in range(2):  # started again it goes on as well
        progress, found = grade(tmp_path)
        assert len(found) == len(names)
        assert set(found.values()) == {"passed"}
        assert not progress.faults
    assert all(name.isascii() and name.isprintable() for name, _ in found)
    with Store(tmp_path / "out") as store:
        people = [person.id for person in store.learners()]
    assert len(people) == len(names)
    assert sum(person.startswith("z\\xff-") for person in people) == 1
    assert {"esc", "a b"} < set(people)


def test_an_untouched_starter_is_handed_in_for_nothing(tmp_path: Path) -> None:
    write_course(tmp_path / "course")
    course, _ = course_at(tmp_path / "course")
    write_files(tmp_path / "subs" / "gil", {"halve.py": starter(course.exercises["halve"], "zh"), "mix.py": RIGHT_MIX})
    _, found = grade(tmp_path)
    assert found == {("gil", "halve"): "not_submitted", ("gil", "mix"): "passed"}
    close_all()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_at_any_moment_and_started_again_it_gives_the_same_bytes(tmp_path: Path) -> None:
    write_course(tmp_path / "course")
    for at in range(12):
        files = {"halve.py": RIGHT_HALVE if at % 3 else WRONG_HALVE, "mix.py": RIGHT_MIX}
        write_files(tmp_path / "subs" / f"learner{at:02}", {name: f"{text}# {at}\n" for name, text in files.items()})
    subprocess.run(command(tmp_path, "whole"), check=True, capture_output=True, timeout=200)
    for least in (0, 3, 9, 17):  # records after which it is killed
        before = count(tmp_path / "killed")
        with subprocess.Popen(
            command(tmp_path, "killed"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            while process.poll() is None and count(tmp_path / "killed") < max(least, before):
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
        assert count(tmp_path / "killed") >= before
    subprocess.run(command(tmp_path, "killed"), check=True, capture_output=True, timeout=200)
    assert count(tmp_path / "killed") == 24
    assert sheet(tmp_path / "killed") == sheet(tmp_path / "whole")
    whole = {path.name: path.read_bytes() for path in (tmp_path / "whole" / "reports").iterdir()}
    assert {path.name: path.read_bytes() for path in (tmp_path / "killed" / "reports").iterdir()} == whole
    assert len(whole) == 24


def count(out: Path) -> int:
    if not (out / FILE).is_file():
        return 0
    with sqlite3.connect(out / FILE, timeout=5) as db:
        try:
            return int(db.execute("select count(*) from piece").fetchone()[0])
        except sqlite3.OperationalError:  # not made yet
            return 0


def sheet(out: Path) -> bytes:
    given = [sys.executable, "-m", "grader", "course", "gradebook", str(out)]
    return subprocess.run(given, check=True, capture_output=True, timeout=100).stdout


# ---------------------------------------------------------------- again, and only what changed


def test_again_only_what_changed_is_graded(class_: Path) -> None:
    first = Instead(passed)
    grade(class_, executor=first)
    assert len(first.tasks) == 10
    again = Instead(passed)
    progress, _ = grade(class_, executor=again)
    assert (again.tasks, progress.kept) == ([], 10)
    write_files(class_ / "subs", {"ben/halve.py": RIGHT_HALVE + "# now\n"})
    (class_ / "subs" / "ann" / "mix.py").unlink()
    third = Instead(passed)
    _, found = grade(class_, executor=third)
    assert [(task.piece.slug, task.piece.given.path) for task in third.tasks] == [("halve", "halve.py")]
    assert ("ann", "mix") not in found


@pytest.mark.parametrize(
    ("file", "old", "new", "slugs"),
    [
        ("exercises/02_mix.yaml", "points: 6", "points: 7", {"mix"}),
        ("reference_impl/steps.py", "x / 2", "x * 0.5", {"halve", "mix"}),
        ("quizzes/01_recall.yaml", "key: 2", "key: 3", {"recall"}),
        ("course.yaml", "title: {en: Small course", "title: {en: Big course", set()),
    ],
)
def test_a_change_of_the_course_grades_what_it_concerns(
    class_: Path, file: str, old: str, new: str, slugs: set[str]
) -> None:
    grade(class_, executor=Instead(passed))
    path = class_ / "course" / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    again = Instead(passed)
    grade(class_, executor=again)
    assert {task.piece.slug for task in again.tasks} == slugs


def test_a_policy_that_changes_grades_nothing_again(class_: Path) -> None:
    grade(class_, executor=Instead(passed))
    write_course(class_ / "course", "policy: {due: 2026-03-01}\n")
    again = Instead(passed)
    grade(class_, executor=again)
    assert again.tasks == []


# ---------------------------------------------------------------- what goes wrong


def test_a_fault_of_ours_is_recorded_costs_nothing_and_is_tried_again(
    class_: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("a bug of ours")

    with monkeypatch.context() as patch:
        patch.setattr("grader.course.batch.tasks.grade_exercise", broken)
        progress, found = grade(class_)
    assert {slug: found["ann", slug] for slug in ("halve", "mix", "recall")} == {
        "halve": "grader_error",
        "mix": "grader_error",
        "recall": "passed",
    }
    assert any("a bug of ours" in text for _, _, text in progress.faults)
    with Store(class_ / "out") as store:
        (record,) = [r for r in store.records() if r.slug == "halve" and r.attempt == 1]
        assert "RuntimeError: a bug of ours" in record.fault
        assert record.max_score == 0
    _, again = grade(class_)
    assert again["ann", "halve"] == "passed"


def test_reading_that_fails_is_a_fault_of_ours_and_the_class_goes_on(
    class_: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader.course import batch

    right = batch.sort_files

    def broken(files: Any, wanted: Any) -> Any:
        if "halve.py" in files and b"raise" in files.get("mix.py", b""):
            raise KeyError("ours")
        return right(files, wanted)

    monkeypatch.setattr(batch, "sort_files", broken)
    progress, found = grade(class_, executor=Instead(passed))
    assert [(name, "KeyError" in text) for name, _, text in progress.faults] == [("ben", True)]
    assert ("fay.py", "mix") in found


def test_work_that_an_executor_loses_is_recorded(class_: Path) -> None:
    def lost(task: Task) -> Done:
        raise OSError("the worker is gone")

    progress, found = grade(class_, executor=Instead(lost))
    assert set(found.values()) == {"grader_error"}
    assert len(progress.faults) == 10


def test_what_ends_three_runs_is_set_aside_and_nobody_else_is(class_: Path) -> None:
    class Killed(BaseException):
        pass

    def deadly(task: Task) -> Done:
        if task.piece.slug == "mix" and b"raise" in dumps(task.piece.given).encode():
            raise Killed
        return passed(task)

    class Deadly(Instead):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            return super().submit(fn, *args, **kwargs)

    for _ in range(3):
        with pytest.raises(Killed):
            grade(class_, executor=Deadly(deadly))
    last = Instead(passed)
    progress, found = grade(class_, executor=last)
    assert found["ben", "mix"] == "grader_error"
    assert {verdict for key, verdict in found.items() if key != ("ben", "mix")} == {"passed"}
    assert [(name, slug) for name, slug, _ in progress.faults] == [("ben", "mix")]
    assert not any(task.tries for task in last.tasks)
    again, found = grade(class_, executor=Instead(passed))
    assert found["ben", "mix"] == "grader_error"
    assert len(again.faults) == 1


def test_a_runner_that_dies_is_replaced(class_: Path) -> None:
    grade(class_)
    course_root = class_ / "course"
    setup = Setup(course_root, level="best", cache=class_ / "out" / "cache")
    sandbox = BENCH.sandbox(setup)
    sandbox.ready()
    process = getattr(sandbox._runner, "process", None)
    if process is None:
        pytest.skip("no warm process on this system")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    from grader.course.batch.tasks import work
    from grader.course.downloads import Piece

    done = work(setup, Task(1, Piece("halve", Submission("halve.py", "halve", RIGHT_HALVE.encode())), "k", "{}"))
    assert done.result.verdict is Verdict.PASSED


def test_threads_that_need_the_reference_at_once_wait_for_one_of_them(tmp_path: Path) -> None:
    write_course(tmp_path)
    steps = tmp_path / "reference_impl" / "steps.py"
    steps.write_text("import time\n\ntime.sleep(0.2)\n" + steps.read_text())
    with ThreadPoolExecutor(4) as pool:
        loaded = list(pool.map(load_reference, [tmp_path] * 4))
    assert all(reference.functions["halve"] is loaded[0].functions["halve"] for reference in loaded)


def test_two_runs_do_not_write_into_one_folder(tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("no such lock there")
    with Store(tmp_path, writing=True), pytest.raises(InUse):
        Store(tmp_path, writing=True)
    Store(tmp_path, writing=True).close()


# ---------------------------------------------------------------- what is stored


def test_nouns_come_back_from_the_store_as_they_were() -> None:
    import numpy as np

    result = Result(
        "exercise", "halve", {}, Verdict.FAILED, 0.5, 2.0,
        outcomes=(Outcome("one", "values", Verdict.FAILED, message=Message("{a} {b}", {"a": Message("x"), "b": 1.5})),),
        source=((1, "f", "x = '\ud800'"),),
    )  # fmt: skip
    back = loads(dumps(result))
    assert back.outcomes == result.outcomes
    assert back.verdict is Verdict.FAILED
    assert back.source == ((1, "f", "x = '\\ud800'"),)
    response = Response("a.yaml", "recall", {"q": [1, {"~x": 2, 3: (4,)}], "f": float("inf")})
    assert loads(dumps(response)) == response
    tensor = loads(dumps(Tensor("float32", np.arange(6, dtype=np.float32).reshape(2, 3)[:, ::2])))
    assert tensor.array.tolist() == [[0.0, 2.0], [3.0, 5.0]]
    assert tensor.array.dtype == np.float32
