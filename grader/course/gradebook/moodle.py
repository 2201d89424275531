"""A grade sheet exported from Moodle and the rows of a class in, a CSV to import out.

Moodle imports all or nothing: an unknown learner, a grade that is no number, one above the maximum or a locked item end it. Everything of
that is found before a line is written, but for locks, which do not stand in the sheet.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from grader.course.downloads.roster import RosterError, folded, read_table
from grader.course.gradebook import Book, Row
from grader.course.gradebook.canvas import TOTAL, Filled, SheetError
from grader.course.gradebook.csvs import csv_text, number
from grader.kinds.reports.view import points
from grader.model import Message, message

WAYS = ("username", "id number", "email address")
ITEM = re.compile(r"(?:[^:]{1,30}:\s*)?(?P<title>.+?)\s*(?:\((?:real|percentage|letter)\))?", re.IGNORECASE | re.DOTALL)
LOCKED = message("Locked items and grades do not stand in the sheet: unlock them in Moodle before you import.")


def fill_moodle(path: Path, rows: Iterable[Row], book: Book, named: Mapping[str, str], most: float) -> Filled:
    """Return the CSV to import: who it is, a grade of at most `most` for each item, and a feedback beside it.

    `named` are slugs (or `total`) and the items of Moodle that they go into; those of the same title unless given. Raises SheetError with
    everything that would abort the import.
    """
    try:
        heading, lines = read_table(path)
    except RosterError as error:
        raise SheetError(error.problems) from error
    at, way = _identity(heading, path)
    known = [folded(row[at]) for _, row in lines if at < len(row)]
    items = _items(heading, book, named, path)
    problems: list[Message] = []
    written: list[list[str]] = [[way, *(name for item in items.values() for name in (item, f"{item} feedback"))]]
    for row in rows:
        names = [name for name in (row.person.id, row.person.email) if folded(name) in known]
        if not names:
            problems.append(
                message("{learner} is not in {file}: Moodle would know no such user.", learner=row.person.id, file=path)
            )
        elif known.count(folded(names[0])) > 1:
            problems.append(message("{learner} is in {file} more than once.", learner=row.person.id, file=path))
        else:
            cells = [cell for slug in items for cell in _cells(row, slug, most, problems)]
            written.append([names[0], *cells])
    if problems:
        raise SheetError(problems)
    return Filled(csv_text(written), (LOCKED,))


def _identity(heading: list[str], path: Path) -> tuple[int, str]:
    columns = [folded(name) for name in heading]
    way = next((name for name in WAYS if name in columns), None)
    if way is None:
        what = message(
            "{file}:1: no column tells learners apart; expected one of: {names}", file=path, names=", ".join(WAYS)
        )
        raise SheetError([what])
    return columns.index(way), heading[columns.index(way)]


def _items(heading: list[str], book: Book, named: Mapping[str, str], path: Path) -> dict[str, str]:
    """Return the item of Moodle that each slug goes into, by its title there."""
    there = [found["title"] for head in heading if (found := ITEM.fullmatch(head))]
    problems: list[Message] = []
    items: dict[str, str] = {}
    for slug, title in (dict(named) or dict.fromkeys(book.wanted.slugs, "")).items():
        titles = {folded(title)} if title else _titles(book, slug)
        fits = [name for name in there if folded(name) in titles]
        fits += [head for head in heading if not fits and folded(head) in titles]
        if len(fits) > 1:
            problems.append(
                message(
                    "{slug} could be any of these items: {names}. Name one with --column.",
                    slug=slug,
                    names=", ".join(fits),
                )
            )
        elif fits:
            items[slug] = fits[0]
        elif title:
            problems.append(message("{file} has no item {name}.", file=path, name=title))
    if not items and not problems:
        problems.append(
            message(
                "No item has the title of an exercise or quiz. There are: {names}. Name one with --column.",
                names=", ".join(there),
            )
        )
    if problems:
        raise SheetError(problems)
    return items


def _titles(book: Book, slug: str) -> set[str]:
    item = book.course.exercises.get(slug) or book.course.quizzes[slug]
    return {folded(slug), *(folded(title) for title in item.title.values())}


def _cells(row: Row, slug: str, most: float, problems: list[Message]) -> Iterator[str]:
    """Yield grade and feedback; nothing for what is not graded or waits."""
    cell = row.cells.get(slug)
    fraction = (row.total / row.out_of if row.out_of > 0 else None) if slug == TOTAL else None
    if cell is not None and cell.judged and not cell.waiting:
        fraction = cell.fraction
    if fraction is None:
        yield from ("", "")
        return
    if fraction > 1 + 1e-9:
        problems.append(message("{learner}: {slug} is {percent} % of its points, and Moodle takes no more than {most}. Set `at_most: 100`.",
                                learner=row.person.id, slug=slug, percent=number(100 * fraction, 1), most=number(most)))  # fmt: skip
    yield number(most * fraction, 5)
    yield points(cell.points, cell.max_points) if cell is not None else points(row.total, row.out_of)
