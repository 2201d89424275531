"""A CSV of learners in, a roster out: who there is, under which names they hand in, and when, where the file tells."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from grader.model import Message, message

MAX_ROSTER_BYTES = 16 * 1024 * 1024

# The first of these columns that a file has gives the id; every other one is a further name to be found by.
IDS = ("learner", "id", "identifier", "roster_identifier", "sid", "student id", "id number", "username", "login",
       "github_username", "email", "email address")  # fmt: skip
NAMES = ("name", "full name", "student", "student name")
MAILS = ("email", "email address", "e-mail")
TIMES = ("submitted_at", "submission_timestamp")
ALIASES = {*IDS, *NAMES, *MAILS, "github_id", "sis user id", "sis login id", "canvas id", "moodle id"}


class RosterError(Exception):
    """A roster that cannot be read; `problems` are lines `file:line: message`, for the instructor."""

    def __init__(self, problems: list[Message]):
        super().__init__(problems[0].template)
        self.problems = problems


@dataclass(frozen=True)
class Person:
    """A learner as the course knows them. `id` is what the gradebook goes by."""

    id: str
    name: str = ""
    email: str = ""
    submitted_at: str = ""


@dataclass(frozen=True)
class Roster:
    """The learners by id, and by every name that means exactly one of them."""

    people: Mapping[str, Person] = field(default_factory=dict)
    known_as: Mapping[str, str] = field(default_factory=dict)

    def find(self, *names: str) -> Person | None:
        """Return the learner whom the first telling one of `names` means."""
        found = next((self.known_as[key] for name in names if name and (key := folded(name)) in self.known_as), None)
        return self.people[found] if found is not None else None


def folded(name: str) -> str:
    """Return a name so that equal ones compare equal: composed, without case, spaces single."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def read_roster(path: Path) -> Roster:
    """Return the roster in a CSV file with a heading; raise RosterError with everything that is wrong."""
    heading, rows = read_table(path)
    columns = [folded(name) for name in heading]
    by = {name: at for at, name in reversed(list(enumerate(columns)))}
    identity = next((by[name] for name in IDS if name in by), None)
    if identity is None:
        known = ", ".join(IDS[:6])
        raise RosterError(
            [message("{file}:1: no column names the learner; expected one of: {known}", file=path, known=known)]
        )
    problems: list[Message] = []
    people: dict[str, Person] = {}
    meant: dict[str, set[str]] = {}
    for line, row in rows:
        cells = dict(zip(columns, row + [""] * (len(columns) - len(row)), strict=False))
        person = Person(row[identity].strip() if identity < len(row) else "", _first(cells, NAMES), _first(cells, MAILS),
                        _time(_first(cells, TIMES), path, line, problems))  # fmt: skip
        if not person.id:
            problems.append(message("{file}:{line}: the learner has no id", file=path, line=line))
        elif person.id in people:
            problems.append(message("{file}:{line}: {id} is there twice", file=path, line=line, id=person.id))
        else:
            people[person.id] = person
            for name in {person.id, *(cells[column] for column in ALIASES if cells.get(column))}:
                meant.setdefault(folded(name), set()).add(person.id)
    if problems:
        raise RosterError(problems)
    return Roster(people, {name: next(iter(ids)) for name, ids in meant.items() if len(ids) == 1})


def read_table(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the heading and (line, cells) of each row of a CSV file with commas, semicolons or tabs; raise RosterError."""
    try:
        data = path.read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise RosterError([message("{file} cannot be read: {why}", file=path, why=error.strerror or "?")]) from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RosterError([message("{file}:{line}: this is not UTF-8", file=path, line=line)]) from error
    if len(data) > MAX_ROSTER_BYTES:
        raise RosterError([message("{file} is larger than {mb} MB", file=path, mb=MAX_ROSTER_BYTES // 1024**2)])
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        what = message("{file}:{line}: this is not CSV ({why})", file=path, line=reader.line_num, why=str(error))
        raise RosterError([what]) from error
    if not rows:
        raise RosterError([message("{file} is empty", file=path)])
    return rows[0][1], rows[1:]


def _first(cells: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((cells[name].strip() for name in names if cells.get(name)), "")


def _time(text: str, path: Path, line: int, problems: list[Message]) -> str:
    """Return a time in ISO form, "" for none; one that cannot be read is a problem."""
    if not text:
        return ""
    found = iso_time(text)
    if found is None:
        what = message(
            "{file}:{line}: {text} is no time; write it such as 2026-03-01T18:30+01:00",
            file=path,
            line=line,
            text=repr(text),
        )
        problems.append(what)
    return found or ""


def iso_time(text: str) -> str | None:
    """Return a time in ISO form, with its zone where it has one; None for what is no time.

    Read are ISO, `2026-03-01 18:30:00 UTC`, `2026-03-01 18:30:00.123456789 +01:00`, and `2026-03-01T1830Z` of file names.
    """
    import re

    found = re.fullmatch(
        r"(\d{4}-\d\d-\d\d)[T _](\d\d)[:.-]?(\d\d)(?:[:.-]?(\d\d)(\.\d+)?)?\s*(Z|UTC|[+-]\d\d:?\d\d)?", text.strip()
    )
    if found is None:
        return None
    day, hour, minute, second, part, zone = found.groups()
    offset = "" if not zone else "+00:00" if zone in ("Z", "UTC") else f"{zone[:3]}:{zone[-2:]}"
    try:
        return datetime.fromisoformat(
            f"{day}T{hour}:{minute}:{second or '00'}{(part or '')[:7].ljust(7, '0') if part else ''}{offset}"
        ).isoformat()
    except ValueError:
        return None
