"""A graded class and a course that has changed in, who gains and who loses and why out; nothing changes until that is applied.

Answers are kept in the store, so nothing but the course is needed. What was graded again is staged beside the records that count; points
that a person decided stay out of both, and are put back on top each time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grader.course.batch import Class, Progress, Window, task_for
from grader.course.batch.identity import key_of
from grader.course.batch.tasks import Task
from grader.course.downloads import Entry, Piece
from grader.course.gradebook import Book, Cell, Row, row_of
from grader.course.store import Record, Store
from grader.course.store.codec import loads
from grader.kinds.reports.cases import by_case
from grader.model import Message, Result, message

CLOSE = 5e-5
MOST_CASES = 3

REASONS = {
    "answer": message("another answer counts"),
    "file": message("the exercise has changed"),
    "reference": message("the reference has changed"),
    "run": message("the seed, the secret or the isolation is another one"),
    "grader": message("the grader is another version"),
}


@dataclass(frozen=True)
class Change:
    """One exercise or quiz (or the total, without a slug) of one learner that stands differently."""

    learner: str
    slug: str
    before: float | None
    after: float | None
    reasons: tuple[Message, ...] = ()
    maxima: tuple[float, float] | None = None
    """Before and after, where the points are out of another maximum than before."""

    @property
    def gained(self) -> bool:
        return (self.after or 0.0) > (self.before or 0.0)


def stage(run: Class, progress: Progress) -> None:
    """Grade again what no longer has the key that its record has, and keep the results beside the records."""
    for record in list(run.store.records(staged=True)):
        if record.slug not in run.wanted.slugs or record.key != _key(run, record):
            run.store.unstage_one(record.attempt, record.slug)
    window = Window(run, progress, staged=True)
    for attempt in run.store.attempts():
        entry = Entry(attempt.name, attempt.learner)
        staged = {record.slug: (record.key, record.verdict) for record in run.store.records(attempt.id, staged=True)}
        tasks = [task for task in _tasks(run, attempt.id, attempt.name, progress) if _is_new(task, staged)]
        window.expect(attempt.learner, len(tasks), closes=False)
        for task in tasks:
            window.submit(task, entry)
        progress.entries += 1
        progress.tell(progress)
    window.drain()


def _is_new(task: Task, staged: dict[str, tuple[str, str]]) -> bool:
    return staged.get(task.piece.slug, ("", ""))[0] != task.key


def _tasks(run: Class, attempt: int, name: str, progress: Progress) -> Iterator[Task]:
    for record in list(run.store.records(attempt)):
        if record.slug in run.wanted.slugs:
            piece = Piece(record.slug, loads(record.given))
            yield from task_for(run, attempt, piece, (record.key, record.verdict), progress, name)


def _key(run: Class, record: Record) -> str:
    return key_of(run.versions.parts(Piece(record.slug, loads(record.given))))


def write_standings(store: Store, book: Book) -> None:
    """Write down how every learner stands now: what a later change is measured against."""
    for person in store.learners():
        row = row_of(store, book, person, store.marks(person.id))
        store.stands(person.id, json.dumps(_standing(row)))


def changes(store: Store, book: Book) -> Iterator[Change]:
    """Yield what stands differently with what is staged and the rules as they are, learner by learner."""
    for person in store.learners():
        before = json.loads(store.standing(person.id) or "{}")
        row = row_of(store, book, person, store.marks(person.id), staged=True)
        after = _standing(row)
        for slug, cell in row.cells.items():
            old, new = before.get(slug, {}), after[slug]
            if _differs(old.get("points"), new["points"]):
                reasons = tuple(_reasons(store, old, new, cell))
                yield Change(person.id, slug, old.get("points"), new["points"], reasons, _maxima(old, new))
        if _differs(before.get("", {}).get("points"), after[""]["points"]):
            yield Change(person.id, "", before.get("", {}).get("points"), after[""]["points"])


def _standing(row: Row) -> dict[str, dict[str, Any]]:
    """Return what counts of a learner as plain data; the percentage of all stands under no name."""
    found: dict[str, dict[str, Any]] = {slug: _cell(cell) for slug, cell in row.cells.items()}
    found[""] = {"points": None if row.percent is None else round(row.percent, 4)}
    return found


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "points": round(cell.points, 4) if cell.judged else None,
        "max": cell.max_points,
        "attempt": cell.attempt,
        "minus": cell.minus,
        "override": cell.override.reason if cell.override else "",
        "parts": json.loads(cell.record.parts) if cell.record else {},
    }


def _maxima(old: dict[str, Any], new: dict[str, Any]) -> tuple[float, float] | None:
    before, after = float(old.get("max", 0.0)), float(new["max"])
    return (before, after) if before > 0 and after > 0 and abs(before - after) > CLOSE else None


def _differs(before: float | None, after: object) -> bool:
    if before is None or not isinstance(after, float):
        return before is not after and (before is None) is not (after is None)
    return abs(before - after) > CLOSE


def _reasons(store: Store, old: dict[str, Any], new: dict[str, Any], cell: Cell) -> Iterator[Message]:
    if old.get("override", "") != new["override"]:
        yield (
            message("by decision of a person: {reason}", reason=new["override"])
            if new["override"]
            else message("a decision was taken back")
        )
        return
    if old.get("attempt") != new["attempt"]:
        yield message("another submission counts: {name}", name=new["attempt"])
    if old.get("minus", 0.0) != new["minus"]:
        yield message(
            "for being late {old} % were taken before, and {new} % now",
            old=f"{old.get('minus', 0.0):g}",
            new=f"{new['minus']:g}",
        )
    before, after = old.get("parts", {}), new["parts"]
    if isinstance(before, dict) and isinstance(after, dict):
        yield from (REASONS[part] for part in REASONS if before.get(part) != after.get(part) and old)
    yield from _turned(store, cell)


def _turned(store: Store, cell: Cell) -> Iterator[Message]:
    """Say which cases end differently than in the record that is there."""
    if cell.record is None:
        return
    was = next((r for r in store.records(cell.record.attempt) if r.slug == cell.slug), None)
    if was is None or was.result == cell.record.result:
        return
    then, now = _verdicts(loads(was.result)), _verdicts(loads(cell.record.result))
    turned = [case for case in now if then.get(case) != now[case]]
    for case in turned[:MOST_CASES]:
        yield message("{case}: {old} before, {new} now", case=case, old=then.get(case, "–"), new=now[case])
    if len(turned) > MOST_CASES:
        yield message("and {n} more", n=len(turned) - MOST_CASES)


def _verdicts(result: Result) -> dict[str, str]:
    return {outcome.case: outcome.verdict.value for outcome in by_case(result.outcomes)}
