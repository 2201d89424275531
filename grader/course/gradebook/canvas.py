"""A gradebook exported from Canvas and the rows of a class in, the same sheet with columns filled out: ready to be imported.

Canvas finds assignments by the number in a heading and makes a new one of a heading that it does not know, so only columns that are there
are filled, and only those are written back beside the columns that identify learners. Anything that could go wrong there is refused here.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.course.downloads.roster import folded
from grader.course.gradebook import Book, Row
from grader.course.gradebook.csvs import NUMBER, csv_text, number
from grader.model import Message, message

TOTAL = "total"
TITLE = re.compile(r"(?P<title>.*?)\s*\((?P<id>\d+)\)\s*", re.DOTALL)
IDENTITY = ("student", "id", "sis user id", "sis login id", "integration id", "root account", "section")
POINTS_POSSIBLE = "points possible"
KEPT = ("ex",)  # excused: it stays so


class SheetError(Exception):
    """A sheet that cannot be filled; `problems` are lines for the instructor."""

    def __init__(self, problems: list[Message]):
        super().__init__(problems[0].template)
        self.problems = problems


@dataclass(frozen=True)
class Filled:
    """The sheet to import, and what the instructor should know."""

    text: str
    notes: tuple[Message, ...]


@dataclass(frozen=True)
class Sheet:
    """An exported gradebook: heading, the rows above the learners (maxima and the like), and the learners'."""

    heading: list[str]
    above: list[list[str]]
    learners: list[list[str]]
    delimiter: str

    def column(self, name: str) -> int | None:
        return next((at for at, head in enumerate(self.heading) if folded(head) == name), None)


def fill_canvas(path: Path, rows: Iterable[Row], book: Book, named: Mapping[str, str]) -> Filled:
    """Fill the columns of `named` (slug or `total` -> heading), else those whose titles are those of exercises and quizzes.

    Raises SheetError for a sheet that is none, columns that are not there, are there twice or are closed, and learners who are two.
    """
    sheet = read_sheet(path)
    columns = _columns(sheet, book, named, path)
    found, notes = _matched(sheet, list(rows), path)
    maxima = _maxima(sheet)
    identity = [at for at, head in enumerate(sheet.heading) if folded(head) in IDENTITY]
    written = [[sheet.heading[at] for at in (*identity, *columns.values())]]
    written += [[row[at] for at in (*identity, *columns.values())] for row in sheet.above]
    for cells in sheet.learners:
        row = found.get(id(cells))
        filled = [_value(row, slug, maxima.get(at), cells[at]) for slug, at in columns.items()]
        written.append([*(cells[at] for at in identity), *filled])
    return Filled(csv_text(written, sheet.delimiter), tuple(notes))


def read_sheet(path: Path) -> Sheet:
    """Return the exported sheet; raise SheetError for what is none."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise SheetError([message("{file} cannot be read: {why}", file=path, why=error.strerror or "?")]) from error
    except UnicodeDecodeError as error:
        raise SheetError([message("{file} is not UTF-8. Export it again from Canvas.", file=path)]) from error
    delimiter = ";" if text.split("\n", 1)[0].count(";") > text.split("\n", 1)[0].count(",") else ","
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if any(row)]
    heading = rows[0] if rows else []
    if len(heading) < 4 or folded(heading[0]) != "student" or "id" not in map(folded, heading):
        what = message(
            "{file}:1: this is no gradebook of Canvas; expected the columns Student, ID, … Section", file=path
        )
        raise SheetError([what])
    wide = [row + [""] * (len(heading) - len(row)) for row in rows[1:]]
    at = next((n for n, row in enumerate(wide) if POINTS_POSSIBLE in folded(row[0])), -1)
    return Sheet(heading, wide[: at + 1], wide[at + 1 :], delimiter)


def _columns(sheet: Sheet, book: Book, named: Mapping[str, str], path: Path) -> dict[str, int]:
    problems: list[Message] = []
    wanted = dict(named) or dict.fromkeys(book.wanted.slugs, "")
    found: dict[str, int] = {}
    for slug, heading in wanted.items():
        titles = {folded(heading)} if heading else _titles(book, slug)
        fits = [at for at, head in enumerate(sheet.heading) if folded(head) in titles or folded(_title(head)) in titles]
        fits = [at for at in fits if folded(sheet.heading[at]) not in IDENTITY]
        if len(fits) > 1:
            names = ", ".join(sheet.heading[at] for at in fits)
            problems.append(
                message(
                    "{slug} could be any of these columns: {names}. Name one with --column.", slug=slug, names=names
                )
            )
        elif fits and fits[0] in found.values():
            problems.append(message("The column {name} is meant twice.", name=sheet.heading[fits[0]]))
        elif fits and any("read only" in row[fits[0]].lower() for row in sheet.above):
            problems.append(
                message(
                    "Canvas does not let the column {name} be changed: it is read only.", name=sheet.heading[fits[0]]
                )
            )
        elif fits:
            found[slug] = fits[0]
        elif heading:
            problems.append(message("{file} has no column {name}.", file=path, name=heading))
    if not found and not problems:
        there = ", ".join(head for head in sheet.heading if folded(head) not in IDENTITY)
        problems.append(
            message(
                "No column has the title of an exercise or quiz. There are: {names}. Name one with --column.",
                names=there,
            )
        )
    if problems:
        raise SheetError(problems)
    return found


def _titles(book: Book, slug: str) -> set[str]:
    item = book.course.exercises.get(slug) or book.course.quizzes[slug]
    return {folded(slug), *(folded(title) for title in item.title.values())}


def _title(heading: str) -> str:
    found = TITLE.fullmatch(heading)
    return found["title"] if found else heading


def _matched(sheet: Sheet, rows: list[Row], path: Path) -> tuple[dict[int, Row], list[Message]]:
    """Return the row of each learner of the sheet: by number, then login, then a name that only one has."""
    ways = [sheet.column(name) for name in ("id", "sis user id", "sis login id", "student")]
    found: dict[int, Row] = {}
    notes: list[Message] = []
    problems: list[Message] = []
    for row in rows:
        names = {folded(name) for name in (row.person.id, row.person.email, row.person.name) if name}
        fits: list[list[str]] = []
        for at in ways:
            fits = [cells for cells in sheet.learners if at is not None and folded(cells[at]) in names]
            if fits:
                break
        if len(fits) > 1:
            problems.append(
                message(
                    "{file}: {learner} could be {n} learners of the sheet.",
                    file=path,
                    learner=row.person.id,
                    n=len(fits),
                )
            )
        elif not fits:
            notes.append(message("{learner} is not in the sheet, so they get nothing there.", learner=row.person.id))
        elif id(fits[0]) in found:
            two = found[id(fits[0])].person.id
            problems.append(
                message(
                    "{file}: {one} and {two} are the same learner of the sheet.", file=path, one=two, two=row.person.id
                )
            )
        else:
            found[id(fits[0])] = row
    if problems:
        raise SheetError(problems)
    alone = sum(id(cells) not in found for cells in sheet.learners)
    if alone:
        notes.append(message("Learners of the sheet who handed in nothing here keep what they have: {n}.", n=alone))
    return found, notes


def _maxima(sheet: Sheet) -> dict[int, float]:
    row = next((row for row in sheet.above if POINTS_POSSIBLE in folded(row[0])), [])
    return {at: float(cell) for at, cell in enumerate(row) if NUMBER.fullmatch(cell.strip())}


def _value(row: Row | None, slug: str, most: float | None, before: str) -> str:
    """Return the points on the scale of the sheet; what is not graded, waits or is excused stays as it was."""
    if row is None or folded(before) in KEPT:
        return before
    if slug == TOTAL:
        return number(row.total if most is None else most * row.total / row.out_of, 2) if row.out_of > 0 else before
    cell = row.cells[slug]
    if not cell.judged or cell.waiting:
        return before
    return number(float(cell.points if most is None else most * cell.fraction), 2)
