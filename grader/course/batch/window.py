"""Tasks in, records out, a few tasks at a time: what is under way in an executor, and what becomes of tasks that end what runs them."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from dataclasses import dataclass, field, replace

from grader.course.batch.identity import Versions
from grader.course.batch.tasks import MOST_DEATHS, Done, Setup, Task, failed, work
from grader.course.downloads import Entry, Piece, Wanted
from grader.course.store import Record, Store
from grader.course.store.codec import dumps
from grader.kinds.reports.escape import line
from grader.locale import say
from grader.model import Message, Result, Verdict, message

SET_ASIDE = message(
    "It has ended the grader {n} times or more, so it was set aside. Somebody should look at it.", n=MOST_DEATHS
)
PATIENCE = 5.0  # seconds without any result until the executor is asked whether it still runs


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


class Stopped(Exception):
    """The executor cannot go on; `why` says what is missing. What has a record keeps it, the rest is as if never begun."""

    def __init__(self, why: Message):
        super().__init__(why.template)
        self.why = why


@dataclass(frozen=True)
class Class:
    """What a run works with.

    Where tasks do not run in this process, `deaths` says how many workers ended with a task, given what its future raised, and `check`
    raises Stopped once there is nobody left to work. `own` gives an answer the numbers that its learner was asked with.
    """

    store: Store
    setup: Setup
    versions: Versions
    wanted: Wanted
    executor: Executor
    jobs: int
    deaths: Callable[[Exception], int] | None = None
    check: Callable[[], None] = lambda: None
    own: Callable[[str, Piece], Piece] = lambda learner, piece: piece


class Window:
    """The few tasks that are under way. What ended a run or a worker before goes through alone, so that nobody else is blamed."""

    def __init__(self, run: Class, progress: Progress, *, staged: bool = False):
        self.run, self.progress, self.staged = run, progress, staged
        self.most = 3 * run.jobs
        self.under_way: dict[Future[Done], tuple[Task, Entry]] = {}
        self.again: list[tuple[Task, Entry]] = []
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
        alone = task.tries > 0
        self.wait(0 if alone else self.most - 1)
        self._start(task, entry)
        if alone:
            self.wait(0)

    def _start(self, task: Task, entry: Entry) -> None:
        if task.tries >= MOST_DEATHS:
            self._keep(Done(task, failed(self.run.setup, task.piece, SET_ASIDE), 0.0, "set aside"), entry, forget=False)
            return
        if self.run.deaths is None:  # it runs in this process: should that end, this is what is left to tell
            self.run.store.begin(trial(task), task.tries + 1)
        self.under_way[self.run.executor.submit(work, self.run.setup, task)] = task, entry

    def wait(self, most: int) -> None:
        """Wait until at most that many tasks are under way, writing what comes back; then try alone what has to be."""
        self._wait(most)
        while self.again:
            self._wait(0)
            self._start(*self.again.pop())
            self._wait(0)

    def _wait(self, most: int) -> None:
        while len(self.under_way) > most:
            finished, _ = wait(self.under_way, timeout=PATIENCE, return_when=FIRST_COMPLETED)
            if not finished:
                self.run.check()
            for future in sorted(finished, key=_was_dropped):  # what came back is kept before the run ends
                self._finished(future, *self.under_way.pop(future))

    def _finished(self, future: Future[Done], task: Task, entry: Entry) -> None:
        try:
            done = future.result()
        except CancelledError:  # nobody here gives tasks up
            raise Stopped(message("The scheduler has dropped the work.")) from None
        except Exception as error:  # the executor's own trouble, such as a worker that was killed too often
            if deaths := self.run.deaths(error) if self.run.deaths else 0:
                self._ended(task, entry, deaths)
                return
            done = Done(task, failed(self.run.setup, task.piece, _lost(error)), 0.0, traceback.format_exc(limit=-3))
        self._keep(done, entry)

    def _ended(self, task: Task, entry: Entry, deaths: int) -> None:
        """Try a task alone that workers ended with. Only what ends them then as well is set aside."""
        alone = task.tries > 0
        tries = task.tries + deaths if alone else min(deaths, MOST_DEATHS - 1)
        self.run.store.begin(trial(task), tries)
        self.again.append((replace(task, tries=tries), entry))

    def drain(self) -> None:
        """Wait for everything."""
        self.wait(0)

    def _keep(self, done: Done, entry: Entry, *, forget: bool = True) -> None:
        record = record_of(done)
        if forget:
            self.run.store.finished(record, trial(done.task), staged=self.staged)
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


def _was_dropped(future: Future[Done]) -> bool:
    return future.cancelled() or isinstance(future.exception(), CancelledError)


def trial(task: Task) -> str:
    """Return the name under which the store counts what a task has ended."""
    return f"{task.attempt}/{task.key}"


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
