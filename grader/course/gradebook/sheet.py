"""The rows of a class in, the gradebook as one CSV out: the same records give the same bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from grader.course.gradebook import Book, Cell, Row
from grader.course.gradebook.csvs import cell, csv_text
from grader.model import Verdict

FIRST = ("learner", "name", "email")
LAST = ("total", "out_of", "percent", "grade", "late", "waiting", "missing", "not_graded", "overridden", "submissions")


def gradebook(rows: Iterable[Row], book: Book) -> str:
    """Return the gradebook: a column for each exercise and quiz, then the total and what stands behind it."""
    return csv_text(_lines(rows, book))


def _lines(rows: Iterable[Row], book: Book) -> Iterator[Sequence[object]]:
    slugs = book.wanted.slugs
    yield (*FIRST, *slugs, *LAST)
    taken: set[str] = set()
    for row in rows:
        person, cells = row.person, row.cells
        yield (
            _unique(person.id, taken),
            person.name,
            person.email,
            *(cells[slug].points if cells[slug].judged else None for slug in slugs),
            row.total,
            row.out_of,
            row.percent,
            row.grade,
            _listed(f"{cell.slug} -{cell.minus:g} %" for cell in cells.values() if cell.late is not None),
            sum(cell.waiting for cell in cells.values()),
            _listed(cell.slug for cell in cells.values() if _is(cell, Verdict.NOT_SUBMITTED)),
            _listed(cell.slug for cell in cells.values() if _is(cell, Verdict.GRADER_ERROR)),
            _listed(f"{cell.slug}: {cell.override.reason}" for cell in cells.values() if cell.override),
            len(row.attempts),
        )


def _unique(learner: str, taken: set[str]) -> str:
    """Return an id that no row above has once it is a cell: where some look alike, a digest tells them apart."""
    shown = learner
    while cell(shown) in taken:
        shown = f"{shown}-{hashlib.sha256(learner.encode()).hexdigest()[:8]}"
    taken.add(cell(shown))
    return shown


def _is(cell: Cell, verdict: Verdict) -> bool:
    return cell.verdict == verdict.value and cell.override is None


def _listed(words: Iterable[str]) -> str:
    return "; ".join(words)
