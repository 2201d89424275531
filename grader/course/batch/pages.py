"""The records of one learner in, their JSON report and their web page out: what counts, as the policy says now."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from grader.course.gradebook import NOT_ASKED, Book, Cell, Row, row_of
from grader.course.marks import Marks, with_marks
from grader.course.store import Store
from grader.course.store.codec import dumps, loads
from grader.grade import grade_quiz
from grader.kinds.reports import REPORTS, ReportStyle
from grader.model import Isolation, Message, Report, Response, Result, Sayable, Verdict, message
from grader.stages.draws import drawn
from grader.stages.progress import in_course
from grader.stages.report import build_report, not_submitted

FORMATS = ("json", "html")
FOLDER = "reports"
RESERVED = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}


@dataclass(frozen=True)
class Pages:
    """Writes the pages of learners into `reports/`."""

    store: Store
    book: Book
    isolation: Isolation
    device: str
    seed: int
    lang: str
    notes: tuple[Sayable, ...] = ()

    def write(self, learner: str) -> None:
        """Write the pages of one learner, unless they are there and nothing that they are made of has changed."""
        person = self.store.learner(learner)
        marks = self.store.marks(learner)
        row = row_of(self.store, self.book, person, marks)
        digest = self._digest(row, marks)
        files = {word: self.store.folder / FOLDER / f"{file_stem(learner)}.{word}" for word in FORMATS}
        if self.store.page(learner) == digest and all(file.is_file() for file in files.values()):
            return
        report = self.report(row, marks)
        for word, file in files.items():
            write_whole(file, REPORTS[word](report, ReportStyle(self.lang)))
        self.store.paged(learner, digest)

    def _digest(self, row: Row, marks: Marks) -> str:
        made_of = [
            [_counts(cell) for cell in row.cells.values()],
            [(a.name, a.problem, bool(a.fault)) for a in row.attempts],
            (row.person.name, row.total, row.out_of, row.grade, self.lang, self.isolation.level),
            sorted((*key, *value) for key, value in marks.items()),
        ]
        return hashlib.sha256(dumps(made_of).encode()).hexdigest()[:24]

    def report(self, row: Row, marks: Marks) -> Report:
        """Return the report of a learner over all that was asked for."""
        asked = [slug for slug, cell in row.cells.items() if cell.verdict != NOT_ASKED]
        results = [self._result(row, slug, marks) for slug in asked]
        notes = (*self._notes(row), *self.notes)
        return in_course(build_report(results, self.isolation, self.device, self.seed, notes), self.book.course)

    def _result(self, row: Row, slug: str, marks: Marks) -> Result:
        course, record = self.book.course, row.cells[slug].record
        if record is None:
            return not_submitted(course.exercises[slug]) if slug in course.exercises else self._no_sheet(slug)
        result: Result = loads(record.result)
        if slug in course.exercises:
            exercise = course.exercises[slug]
            return replace(result, title=exercise.title, prompt=exercise.prompt, hints=exercise.hints)
        given: Response = loads(record.given)
        quiz = drawn(course.quizzes[slug], given.draw)
        prompts = {question.id: question.prompt for question in quiz.questions}
        outcomes = tuple(replace(o, prompt=prompts.get(o.case)) for o in result.outcomes)
        return with_marks(replace(result, title=quiz.title, outcomes=outcomes), given, row.person.id, marks)

    def _no_sheet(self, slug: str) -> Result:
        empty = grade_quiz(self.book.course.quizzes[slug], Response("", slug, {}))
        headline = message("No answer sheet was handed in for this quiz.")
        step = message("Answer it with `grader quiz {slug}`.", slug=slug)
        return replace(empty, verdict=Verdict.NOT_SUBMITTED, outcomes=(), details=(), headline=headline, next_step=step)

    def _notes(self, row: Row) -> Iterator[Message]:
        yield message("Learner: {name}", name=row.person.name or row.person.id)
        for attempt in row.attempts:
            if attempt.problem:
                yield message("{name} was not graded: {why}", name=attempt.name, why=loads(attempt.problem))
            elif attempt.fault:
                yield message(
                    "{name} was not graded because of a fault of ours. No points were lost.", name=attempt.name
                )
        for cell in row.cells.values():
            if cell.override is not None:
                yield message("{slug}: {points} points by decision of a person: {reason}", slug=cell.slug,
                              points=f"{cell.points:g}", reason=cell.override.reason)  # fmt: skip
            elif cell.late is not None:
                hours = cell.late.total_seconds() / 3600
                yield message(
                    "{slug} was {hours} h late: {minus} % less.",
                    slug=cell.slug,
                    hours=f"{hours:.1f}",
                    minus=f"{cell.minus:g}",
                )


def _counts(cell: Cell) -> tuple[object, ...]:
    """What a page shows of a cell."""
    record = cell.record
    return cell.slug, cell.verdict, record and record.key, record and record.verdict, cell.points, cell.minus


def file_stem(learner: str) -> str:
    """Return a file name for a learner's pages: theirs where it is harmless everywhere, else made so and told apart by a digest."""
    kept = "".join(char if char.isalnum() or char in "._-@" else "_" for char in learner)[:60].strip(".")
    harmless = kept == learner and kept == kept.lower() and kept.isascii() and kept.split(".")[0] not in RESERVED
    return (
        kept
        if harmless
        else f"{kept or 'learner'}-{hashlib.sha256(learner.encode('utf-8', 'replace')).hexdigest()[:8]}"
    )


def write_whole(file: Path, text: str) -> None:
    """Write a file whole or not at all. What a run that was killed left half-written is written over by the next."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.part")
    part.write_bytes(text.encode("utf-8", "backslashreplace"))
    part.replace(file)
