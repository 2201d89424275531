"""A store and the policy of the course in, one row a learner out: which attempt counts, what is lost for being late, and the total."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from math import fsum

from grader.course.downloads import Person, Wanted
from grader.course.gradebook.overrides import Override, Overrides
from grader.course.marks import Marks, waiting, with_marks
from grader.course.policy import FIRST, LAST, Policy
from grader.course.store import Attempt, Record, Store
from grader.course.store.codec import loads
from grader.model import Course, Verdict

NO_CELL = (Verdict.GRADER_ERROR.value, Verdict.NOT_JUDGED.value)
NOT_ASKED = "not_asked"


@dataclass(frozen=True)
class Cell:
    """What counts of one exercise or quiz of one learner. `points` are after `minus` percent were taken, or what an override says.

    `verdict` is "not_submitted" without a record, "not_asked" for what the policy does not ask of the learner. A cell without
    `judged` leaves score and maximum.
    """

    slug: str
    verdict: str
    points: float
    max_points: float
    attempt: str = ""
    late: timedelta | None = None
    minus: float = 0.0
    waiting: int = 0
    override: Override | None = None
    record: Record | None = None

    @property
    def judged(self) -> bool:
        return self.override is not None or (self.verdict not in NO_CELL and self.max_points > 0)

    @property
    def fraction(self) -> float:
        return self.points / self.max_points if self.max_points > 0 else 0.0


@dataclass(frozen=True)
class Row:
    """One learner: a cell for each exercise and quiz, and the total by weight."""

    person: Person
    cells: Mapping[str, Cell]
    attempts: tuple[Attempt, ...]
    total: float
    out_of: float
    grade: str

    @property
    def percent(self) -> float | None:
        return 100 * self.total / self.out_of if self.out_of > 0 else None


@dataclass(frozen=True)
class Book:
    """What rows are made with."""

    course: Course
    wanted: Wanted
    policy: Policy
    overrides: Overrides

    def weight(self, slug: str) -> float:
        """Return what an exercise or quiz weighs in the total."""
        return self.policy.weights.get(slug, self.points(slug))

    def points(self, slug: str) -> float:
        """Return how many points an exercise or quiz has."""
        if slug in self.course.exercises:
            return self.course.exercises[slug].points
        return fsum(question.points for question in self.course.quizzes[slug].questions)


def rows(store: Store, book: Book) -> Iterator[Row]:
    """Yield the row of each learner, in the order of their ids."""
    marks = store.marks()
    for person in store.learners():
        yield row_of(store, book, person, marks)


def row_of(store: Store, book: Book, person: Person, marks: Marks, *, staged: bool = False) -> Row:
    """Return the row of one learner; with `staged`, as it would be with the records that a regrade has prepared."""
    attempts = tuple(store.attempts(person.id))
    records: dict[str, list[tuple[Attempt, Record]]] = {}
    for attempt in attempts:
        found = {record.slug: record for record in store.records(attempt.id)}
        if staged:
            found |= {record.slug: record for record in store.records(attempt.id, staged=True)}
        for slug, record in found.items():
            records.setdefault(slug, []).append((attempt, record))
    return made(book, person, attempts, records, marks)


def made(
    book: Book,
    person: Person,
    attempts: tuple[Attempt, ...],
    records: Mapping[str, list[tuple[Attempt, Record]]],
    marks: Marks,
) -> Row:
    """Return the row that these records make."""
    cells = {slug: _cell(book, person.id, slug, records.get(slug, ()), marks) for slug in book.wanted.slugs}
    counted = [cell for cell in cells.values() if cell.judged]
    total = fsum(book.weight(cell.slug) * cell.fraction for cell in counted)
    out_of = fsum(book.weight(cell.slug) for cell in counted if cell.slug not in book.policy.bonus)
    if book.policy.at_most is not None:
        total = min(total, out_of * book.policy.at_most / 100)
    grade = book.policy.grade(100 * total / out_of) if out_of > 0 else ""
    return Row(person, cells, attempts, total, out_of, grade)


def _cell(book: Book, learner: str, slug: str, records: Iterable[tuple[Attempt, Record]], marks: Marks) -> Cell:
    candidates = [_counted(book, learner, attempt, record, marks) for attempt, record in records]
    cell = _chosen(candidates, book.policy.attempts)
    if cell is None:
        cell = Cell(slug, Verdict.NOT_SUBMITTED.value, 0.0, book.points(slug))
    override = book.overrides.get((learner, slug))
    if override is None and not book.policy.asks(learner, slug):
        return Cell(slug, NOT_ASKED, 0.0, 0.0)
    if override is None:
        return cell
    most = cell.max_points if cell.max_points > 0 else book.points(slug)
    return Cell(
        slug, cell.verdict, override.points, most, cell.attempt, cell.late, 0.0, cell.waiting, override, cell.record
    )


def _counted(book: Book, learner: str, attempt: Attempt, record: Record, marks: Marks) -> Cell:
    score, most, verdict, left = record.score, record.max_score, record.verdict, 0
    if record.kind == "quiz" and verdict != Verdict.GRADER_ERROR.value:
        result = with_marks(loads(record.result), loads(record.given), learner, marks)
        score, most, verdict, left = result.score, result.max_score, result.verdict.value, waiting(result)
    late = book.policy.lateness(learner, record.slug, attempt.submitted_at)
    minus = book.policy.minus(late)
    points = score * (1 - minus / 100)
    return Cell(record.slug, verdict, points, most, attempt.name, late, minus, left, None, record)


def _chosen(candidates: list[Cell], kept: str) -> Cell | None:
    """Return the one that counts; candidates are in the order in which they were handed in."""
    if not candidates:
        return None
    if kept == LAST:
        return candidates[-1]
    if kept == FIRST:
        return candidates[0]
    return max(candidates, key=lambda cell: (cell.judged, cell.fraction))  # of equal ones the first
