"""A class in, a store full of records out: streamed through an executor, one record for each submission whatever happens.

The run may end at any moment and be started again. Each record is written as soon as it is there, by this process alone, so none is lost
and none is there twice; what has a record for the same key is not graded again.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass, field, replace

from grader.course.batch.identity import Versions, key_of
from grader.course.batch.tasks import MOST_DEATHS, Done, Setup, Task, failed, work
from grader.course.downloads import Entry, Person, Piece, Wanted, sort_files
from grader.course.store import Record, Store
from grader.course.store.codec import dumps
from grader.kinds.reports.escape import line
from grader.locale import say
from grader.model import Message, Result, Verdict, message
from grader.stages.intake import Refused

SET_ASIDE = message(
    "It has ended the grader {n} times, so it was set aside. Somebody should look at it.", n=MOST_DEATHS
)


@dataclass
class Progress:
    """How far a run is, what of ours failed, and what to do on the way."""

    total: int
    entries: int = 0
    graded: int = 0
    kept: int = 0
    faults: list[tuple[str, str, str]] = field(default_factory=list)  # submission, exercise, what failed
    write: Callable[[str], None] = lambda learner: None
    tell: Callable[[Progress], None] = lambda progress: None

    def page(self, learner: str) -> None:
        """Write the pages of a learner whose submissions are all graded; that it fails must not stop the class."""
        try:
            self.write(learner)
        except Exception:
            self.faults.append((learner, "", traceback.format_exc(limit=-6)))


@dataclass(frozen=True)
class Class:
    """What a run works with."""

    store: Store
    setup: Setup
    versions: Versions
    wanted: Wanted
    executor: Executor
    jobs: int


def grade_class(run: Class, entries: Sequence[Entry], progress: Progress) -> None:
    """Grade every submission. Never holds more than a few of them in memory."""
    run.store.enrol(Person(e.learner, e.full_name, e.email) for e in entries)
    window = Window(run, progress)
    last = {entry.learner: at for at, entry in enumerate(entries)}
    for at, entry in enumerate(entries):
        tasks = list(_tasks(run, entry, progress))
        window.expect(entry.learner, len(tasks), closes=last[entry.learner] == at)
        for task in tasks:
            window.submit(task, entry)
        progress.entries += 1
        progress.tell(progress)
    window.drain()


def _tasks(run: Class, entry: Entry, progress: Progress) -> Iterator[Task]:
    """Read one submission into memory, record that it is there, and yield what has no record yet."""
    fault, problem = "", None
    pieces: tuple[Piece, ...] = ()
    try:
        pieces = sort_files(entry.files(), run.wanted)
        if not pieces:
            problem = _nothing(run.wanted)
    except Refused as refused:
        problem = refused.why
    except Exception:  # reading must not stop the class either
        fault = traceback.format_exc(limit=-6)
        progress.faults.append((entry.name, "", fault))
    told = dumps(problem) if problem else ""
    attempt = run.store.attempt(entry, [piece.slug for piece in pieces], problem=told, fault=fault)
    there = run.store.keys(attempt)
    for piece in pieces:
        yield from task_for(run, attempt, piece, there.get(piece.slug), progress, entry.name)


def task_for(
    run: Class, attempt: int, piece: Piece, there: tuple[str, str] | None, progress: Progress, name: str
) -> Iterator[Task]:
    """Yield the task for one answer, unless it has a record: what we failed at is tried again, what ends runs is not."""
    parts = run.versions.parts(piece)
    key = key_of(parts)
    tries = run.store.tries(f"{attempt}/{key}")
    if there and there[0] == key and (there[1] != Verdict.GRADER_ERROR.value or tries >= MOST_DEATHS):
        progress.kept += 1
        if there[1] == Verdict.GRADER_ERROR.value:
            progress.faults.append((name, piece.slug, "set aside"))
        return
    yield Task(attempt, piece, key, dumps(parts), tries)


def _nothing(wanted: Wanted) -> Message:
    first = next(iter(wanted.functions), None)
    name = f"{first}.py" if first else f"{wanted.quizzes[0]}.yaml"
    return message(
        "There is nothing in it that the course asks for. Files are named after exercises, such as {name}.", name=name
    )


class Window:
    """The few tasks that are under way. What ended a run before goes through alone, so that nobody else is blamed."""

    def __init__(self, run: Class, progress: Progress, *, staged: bool = False):
        self.run, self.progress, self.staged = run, progress, staged
        self.most = 3 * run.jobs
        self.under_way: dict[Future[Done], tuple[Task, Entry]] = {}
        self.left: dict[str, int] = {}
        self.closed: set[str] = set()

    def expect(self, learner: str, tasks: int, *, closes: bool) -> None:
        """Say how many tasks of a learner are coming, and whether these are the last."""
        self.left[learner] = self.left.get(learner, 0) + tasks
        if closes:
            self.closed.add(learner)
            self._perhaps_done(learner)

    def submit(self, task: Task, entry: Entry) -> None:
        """Hand a task to the executor, once there is room."""
        trial = f"{task.attempt}/{task.key}"
        if task.tries >= MOST_DEATHS:
            self._keep(Done(task, failed(self.run.setup, task.piece, SET_ASIDE), 0.0, "set aside"), entry, forget=False)
            return
        alone = task.tries > 0
        self.wait(0 if alone else self.most - 1)
        self.run.store.begin(trial, task.tries + 1)
        self.under_way[self.run.executor.submit(work, self.run.setup, task)] = task, entry
        if alone:
            self.wait(0)

    def wait(self, most: int) -> None:
        """Wait until at most that many tasks are under way, writing what comes back."""
        while len(self.under_way) > most:
            finished, _ = wait(self.under_way, return_when=FIRST_COMPLETED)
            for future in finished:
                task, entry = self.under_way.pop(future)
                try:
                    done = future.result()
                except Exception as error:  # the executor's own trouble, such as a worker that was killed too often
                    done = Done(
                        task, failed(self.run.setup, task.piece, _lost(error)), 0.0, traceback.format_exc(limit=-3)
                    )
                self._keep(done, entry)

    def drain(self) -> None:
        """Wait for everything."""
        self.wait(0)

    def _keep(self, done: Done, entry: Entry, *, forget: bool = True) -> None:
        record = record_of(done)
        if forget:
            self.run.store.finished(record, f"{done.task.attempt}/{done.task.key}", staged=self.staged)
        else:
            self.run.store.keep(record, staged=self.staged)
        if done.result.verdict is Verdict.GRADER_ERROR:
            self.progress.faults.append((entry.name, done.task.piece.slug, done.fault or _first_detail(done.result)))
        self.progress.graded += 1
        self.left[entry.learner] -= 1
        self.progress.tell(self.progress)
        self._perhaps_done(entry.learner)

    def _perhaps_done(self, learner: str) -> None:
        if learner in self.closed and not self.left[learner]:
            self.closed.discard(learner)
            del self.left[learner]
            self.progress.page(learner)


def _lost(error: Exception) -> Message:
    return message("The work was lost: {kind}: {text}", kind=type(error).__name__, text=str(error)[:300])


def _first_detail(result: Result) -> str:
    return line(say(result.details[0], "en")) if result.details else ""


def record_of(done: Done) -> Record:
    """Return what is stored of a task; prompts and hints stay in the course."""
    result, task = done.result, done.task
    bare = replace(
        result, title={}, prompt=None, hints=(), outcomes=tuple(replace(o, prompt=None) for o in result.outcomes)
    )
    return Record(
        task.attempt,
        task.piece.slug,
        result.kind,
        task.key,
        task.parts,
        dumps(task.piece.given),
        result.verdict.value,
        result.score,
        result.max_score,
        round(done.seconds, 3),
        done.fault,
        dumps(bare),
    )
