"""A class in, a store full of records out: streamed through an executor, one record for each submission whatever happens.

The run may end at any moment and be started again. Each record is written as soon as it is there, by this process alone, so none is lost
and none is there twice; what has a record for the same key is not graded again.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Sequence
from dataclasses import replace

from grader.course.batch.identity import key_of
from grader.course.batch.tasks import MOST_DEATHS, Task
from grader.course.batch.window import Class, Progress, Stopped, Window, trial
from grader.course.downloads import Entry, Person, Piece, Wanted, sort_files
from grader.course.store.codec import dumps
from grader.model import Message, Verdict, message
from grader.stages.intake import Refused

__all__ = ["Class", "Progress", "Stopped", "Window", "grade_class", "task_for"]


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
        pieces = tuple(run.own(entry.learner, piece) for piece in sort_files(entry.files(), run.wanted))
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
    task = Task(attempt, piece, key, dumps(parts))
    tries = run.store.tries(trial(task))
    if there and there[0] == key and (there[1] != Verdict.GRADER_ERROR.value or tries >= MOST_DEATHS):
        progress.kept += 1
        if there[1] == Verdict.GRADER_ERROR.value:
            progress.faults.append((name, piece.slug, "set aside"))
        return
    yield replace(task, tries=tries)


def _nothing(wanted: Wanted) -> Message:
    first = next(iter(wanted.functions), None)
    name = f"{first}.py" if first else f"{wanted.quizzes[0]}.yaml"
    return message(
        "There is nothing in it that the course asks for. Files are named after exercises, such as {name}.", name=name
    )
