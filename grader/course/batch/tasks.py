"""One answer in, its result out, on whatever thread or machine this runs: the unit of work that an executor distributes.

Everything that a task needs travels with it as plain data; what is slow to make (the course, a warm sandbox) is made once where tasks
run and kept there. Tasks may run twice: nothing is written here, and the same task gives the same result.
"""

from __future__ import annotations

import threading
import time
import traceback
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from grader.course.downloads import Piece
from grader.course.find import preload_of
from grader.course.folder import load_course, load_course_mistakes
from grader.course.variants import told_of_draw
from grader.course.workspace import untouched
from grader.grade import Prepared, Settings, grade_exercise, grade_quiz, prepare
from grader.model import (
    Course,
    GraderError,
    Isolation,
    Mistake,
    Response,
    Result,
    Sayable,
    Verdict,
    message,
)
from grader.stages.ended import unended
from grader.stages.plan import PUBLIC_SECRET
from grader.stages.report import grader_error, not_started
from grader.stages.sandbox import Sandbox, open_sandbox

MOST_DEATHS = 3
"""How many runs or workers one submission may end before it is set aside."""


@dataclass(frozen=True)
class Setup:
    """How a run grades. `cache` is a folder of the run's own: one that learners could have written is never read."""

    root: Path
    seed: int = 0
    device: str = "cpu"
    level: str = "strict"
    secret: bytes = field(default=PUBLIC_SECRET, repr=False)  # not for a log
    cache: Path | None = None


Held = tuple[Setup, Sandbox]
"""A sandbox, and the run that it was opened for."""


@dataclass(frozen=True)
class Task:
    """One answer of one attempt; `key` is what its result depends on, `tries` how many runs it has ended before."""

    attempt: int
    piece: Piece
    key: str
    parts: str
    tries: int = 0


@dataclass(frozen=True)
class Done:
    """A task and its result. `fault` is the traceback of what of ours failed, "" for nothing."""

    task: Task
    result: Result
    seconds: float
    fault: str = ""


def work(setup: Setup, task: Task) -> Done:
    """Grade one answer. Never raises: a fault of ours ends as `grader_error`."""
    started, fault = time.perf_counter(), ""
    try:
        with unended():
            _ready(setup, task.piece)
            started = time.perf_counter()  # what is made once for all is nobody's time
            result = _graded(setup, task.piece)
    except Exception as error:  # whatever it is, it is ours, and the class goes on
        fault = traceback.format_exc(limit=-6)
        result = failed(setup, task.piece, message("{kind}: {text}", kind=type(error).__name__, text=str(error)[:300]))
    return Done(task, result, time.perf_counter() - started, fault)


def _ready(setup: Setup, piece: Piece) -> None:
    """Have the course, the sandbox and the expectations at hand; threads that need the same make it once."""
    course, _ = course_at(setup.root)
    if piece.slug in course.exercises:
        BENCH.sandbox(setup).ready()
        with _MAKING:
            _prepared(setup, piece.slug)


@lru_cache(maxsize=64)
def _prepared(setup: Setup, slug: str) -> Prepared | None:
    """Return what every submission of an exercise shares; None where the reference fails, which each of them then says."""
    try:
        return prepare(course_at(setup.root)[0].exercises[slug], _settings(setup))
    except GraderError:
        return None


def _settings(setup: Setup) -> Settings:
    return Settings(setup.root, course_at(setup.root)[1], setup.seed, setup.device, setup.secret, setup.cache)


def failed(setup: Setup, piece: Piece, detail: Sayable) -> Result:
    """Return the result of an answer that we failed to grade: it leaves score and maximum."""
    course, _ = course_at(setup.root)
    result = grader_error(course.exercises.get(piece.slug, piece.slug), detail)
    return replace(result, kind="quiz" if isinstance(piece.given, Response) else "exercise", path=piece.given.path)


def _graded(setup: Setup, piece: Piece) -> Result:
    course, _ = course_at(setup.root)
    if isinstance(piece.given, Response):
        return told_of_draw(grade_quiz(course.quizzes[piece.slug], piece.given), piece.given)
    exercise, settings, prepared = course.exercises[piece.slug], _settings(setup), _prepared(setup, piece.slug)
    if untouched(exercise, piece.given.source):
        return not_started(exercise, piece.given)
    result = grade_exercise(exercise, piece.given, settings, BENCH.sandbox(setup), prepared)
    if (
        result.verdict is Verdict.GRADER_ERROR
    ):  # the sandbox has used up two processes by now: the third is as fresh as can be
        BENCH.close()
        result = grade_exercise(exercise, piece.given, settings, BENCH.sandbox(setup), prepared)
    return result


@lru_cache(maxsize=4)
def course_at(root: Path) -> tuple[Course, dict[str, Mistake]]:
    """Return the course in a folder and its mistakes, loaded once where tasks run."""
    return load_course(root), load_course_mistakes(root)


class Bench(threading.local):
    """The sandbox of the thread that asks: warm, one submission at a time."""

    def __init__(self) -> None:
        self._held: Held | None = None

    def sandbox(self, setup: Setup) -> Sandbox:
        """Return the thread's sandbox, opened if it is not yet, or if `close_all` has ended it."""
        if self._held is None or self._held[0] != setup or not _is_open(self._held):
            self.close()
            with _LOCK:
                spare = next((pair for pair in _SPARE if pair[0] == setup), None)
                if spare:
                    _SPARE.remove(spare)
            self._held = spare or (setup, _opened(setup))
            with _LOCK:
                _OPEN.append(self._held)
        return self._held[1]

    def close(self) -> None:
        """End the thread's sandbox; the next task gets a new one."""
        held, self._held = self._held, None
        if held is not None and _is_open(held):
            with _LOCK:
                _OPEN.remove(held)
            held[1].close()


def _is_open(held: Held) -> bool:
    with _LOCK:
        return any(pair is held for pair in _OPEN)


def _opened(setup: Setup) -> Sandbox:
    return open_sandbox(setup.level, preload=preload_of(setup.root), device=setup.device, warm=True)


def isolation_of(setup: Setup) -> Isolation:
    """Return what isolation tasks will have here; raise IsolationUnavailable where it cannot be had.

    The sandbox that tells is kept for the first thread that needs one.
    """
    sandbox = _opened(setup)
    with _LOCK:
        _SPARE.append((setup, sandbox))
    return sandbox.isolation


# An executor hands tasks to threads that it owns, in processes that it owns: this is the one place where they can keep something warm.
_LOCK = threading.Lock()
_MAKING = threading.Lock()
_SPARE: list[Held] = []
_OPEN: list[Held] = []
BENCH = Bench()


def close_all(setup: Setup | None = None) -> None:
    """End every sandbox of this process, or those of one run, once none of its tasks runs any more."""
    with _LOCK:
        left = [held for held in (*_OPEN, *_SPARE) if setup in (None, held[0])]
        for kept in (_OPEN, _SPARE):
            kept[:] = [held for held in kept if held not in left]
    for _, sandbox in left:
        sandbox.close()
