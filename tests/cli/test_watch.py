"""Watching a workspace: a save is graded, a later save cancels, keys are answered, and it leaves when asked."""

from __future__ import annotations

import os
import pty
import queue
import select
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from grader.cli.watching import Cancelled, Done, Watching
from grader.course.saves import saves
from grader.model import Isolation, Report

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests" / "submissions"


class Stand:
    """A stand-in for the grader: a run ends when it is told to."""

    def __init__(self):
        self.cancelled = 0
        self.go = threading.Event()

    def slug(self, path):
        return "attention" if path.name == "attention.py" else None

    def report(self, path, wanted):
        self.go.wait(5)
        if not wanted():
            raise Cancelled
        return Report((), 1.0, 1.0, Isolation("none"), "cpu", 0)

    def cancel(self):
        self.cancelled += 1

    def text(self, report):
        return f"score {report.score:g}"

    def answer(self, key, last, report):
        return f"{key} {last} {report is not None}"


@pytest.fixture
def watching(capsys):
    events = queue.Queue()
    return Watching(Stand(), events, Path("work"), "en", interactive=False)


def test_a_saved_file_is_graded_and_shown(watching, capsys):
    watching.graded.go.set()
    assert watching.handle("save", Path("attention.py"))
    assert watching.handle(*watching.events.get(timeout=5))
    assert capsys.readouterr().out == "score 1\n"


def test_a_file_that_is_none_of_the_course_is_passed_over(watching):
    watching.handle("save", Path("notes.py"))
    assert watching.run_number == 0


def test_a_save_in_the_middle_of_a_run_cancels_it(watching, capsys):
    watching.handle("save", Path("attention.py"))
    watching.handle("save", Path("attention.py"))
    assert watching.graded.cancelled == 2
    watching.graded.go.set()
    kind, done = watching.events.get(timeout=5)
    assert (kind, done.number) == ("done", 2)
    assert watching.events.empty()


def test_the_report_of_a_cancelled_run_is_not_shown(watching, capsys):
    watching.run_number = 2
    assert watching.handle("done", Done(1, None, "old"))
    assert capsys.readouterr().out == ""


def test_keys_are_answered_and_q_leaves(watching, capsys):
    assert watching.press("h")
    assert capsys.readouterr().out == "h None False\n"
    assert watching.press("?")
    assert capsys.readouterr().out == ""
    assert not watching.press("q")


def test_a_fault_of_ours_is_not_swallowed(watching):
    with pytest.raises(ValueError, match="boom"):
        watching.handle("failed", ValueError("boom"))


@pytest.mark.parametrize("poll", [True, False], ids=["polling", "notices"])
def test_saves_are_seen(tmp_path, poll):
    stop, seen = threading.Event(), queue.Queue()
    (tmp_path / "attention.py").write_text("a = 1\n")
    thread = threading.Thread(target=lambda: [seen.put(path) for path in saves(tmp_path, stop, poll=poll)], daemon=True)
    thread.start()
    time.sleep(0.5)
    (tmp_path / "notes.txt").write_text("no")
    (tmp_path / ".attention.py.swp").write_text("no")
    (tmp_path / "attention.py").write_text("a = 22\n")
    assert seen.get(timeout=10).name == "attention.py"
    stop.set()
    thread.join(5)
    assert all(path.name == "attention.py" for path in seen.queue)


def _read_until(fd: int, text: str, seconds: float = 60) -> str:
    found, end = "", time.monotonic() + seconds
    while text not in found:
        assert time.monotonic() < end, f"waited for {text!r}, saw {found!r}"
        if select.select([fd], [], [], 0.2)[0]:
            found += os.read(fd, 1 << 16).decode("utf-8", "replace")
    return found


def test_in_a_terminal_a_save_shows_its_verdict_and_keys_work(tmp_path):
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "grader", "watch", str(tmp_path), "--lang", "en"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "XDG_CACHE_HOME": str(tmp_path / ".cache")}
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, cwd=tmp_path)
    os.close(theirs)
    try:
        _read_until(ours, "quit")
        wrong = SAMPLES / "wrong" / "scale_scores" / "unscaled.py"
        (tmp_path / "scale_scores.py").write_bytes(wrong.read_bytes())
        _read_until(ours, "nothing was divided by")
        right = SAMPLES / "right" / "scale_scores" / "textbook.py"
        (tmp_path / "scale_scores.py").write_bytes(right.read_bytes())
        _read_until(ours, "5/5")
        os.write(ours, b"h")
        _read_until(ours, "Hint 1 of 3")
        os.write(ours, b"q")
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
