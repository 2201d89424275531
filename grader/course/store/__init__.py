"""What a class handed in and what became of it, in one SQLite file: every record is there whole or not at all.

Written by one run at a time (a lock says so), read by any number. WAL: a run that is killed loses at most what it was working on.
Not for network file systems, where SQLite cannot lock.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.course.downloads import Entry, Person
from grader.course.store.migrations import migrate
from grader.model import GraderError

if sys.platform != "win32":
    import fcntl

FILE = "class.sqlite"
LOCK = ".lock"
PATIENCE = 30.0  # seconds to wait for another process that writes


class InUse(GraderError):
    """Another run writes into this folder."""


@dataclass(frozen=True)
class Attempt:
    """One submission of one learner. `problem` (a stored message) says why nothing in it could be graded, `fault` what of ours failed."""

    id: int
    name: str
    learner: str
    submitted_at: str = ""
    came_from: str = ""
    fault: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Record:
    """What became of one exercise or quiz in one attempt. `given` and `result` are stored nouns, `parts` what the key is made of."""

    attempt: int
    slug: str
    kind: str
    key: str
    parts: str
    given: str
    verdict: str
    score: float
    max_score: float
    seconds: float
    fault: str
    result: str


RECORD = ("attempt", "slug", "kind", "key", "parts", "given", "verdict", "score", "max_score", "seconds", "fault", "result")  # fmt: skip
ATTEMPT = ("id", "name", "learner", "submitted_at", "came_from", "fault", "problem")
PUT = f"insert or replace into {{}} ({', '.join(RECORD)}) values ({', '.join('?' * len(RECORD))})"


class Store:
    """The database of a class. A context manager; `writing` holds the lock for as long as it is open."""

    def __init__(self, folder: Path, *, writing: bool = False):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(folder / LOCK) if writing else None
        self.db = sqlite3.connect(folder / FILE, timeout=PATIENCE, isolation_level=None)
        try:
            self.db.execute("pragma journal_mode=wal")
            self.db.execute("pragma synchronous=normal")
            self.db.execute("pragma foreign_keys=on")
            migrate(self.db)
        except sqlite3.DatabaseError as error:
            self.close()
            raise GraderError(f"{folder / FILE} cannot be used: {error}") from error

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self.db.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """Write everything in the block, or nothing of it."""
        self.db.execute("begin immediate")
        try:
            yield
        except BaseException:
            self.db.execute("rollback")
            raise
        self.db.execute("commit")

    # ------------------------------------------------------------ facts and learners

    def fact(self, name: str) -> str:
        """Return a remembered fact, "" where there is none."""
        row = self.db.execute("select value from fact where name = ?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def remember(self, name: str, value: str) -> None:
        self.db.execute("insert or replace into fact values (?, ?)", (name, value))

    def enrol(self, people: Iterable[Person]) -> None:
        """Add learners; what is known of them already is kept where nothing new is said."""
        with self.together():
            self.db.executemany(
                "insert into learner (id, name, email) values (?, ?, ?) on conflict (id) do update set "
                "name = case when excluded.name = '' then name else excluded.name end, "
                "email = case when excluded.email = '' then email else excluded.email end",
                [(person.id, person.name, person.email) for person in people],
            )

    def learners(self) -> list[Person]:
        """Return every learner, in the order of their ids."""
        return [Person(*row) for row in self.db.execute("select id, name, email from learner order by id")]

    def learner(self, identity: str) -> Person:
        """Return one learner."""
        row = self.db.execute("select id, name, email from learner where id = ?", (identity,)).fetchone()
        return Person(*row) if row else Person(identity)

    def page(self, learner: str) -> str:
        """Return the digest of what the learner's pages were last made of."""
        row = self.db.execute("select page from learner where id = ?", (learner,)).fetchone()
        return str(row[0]) if row else ""

    def paged(self, learner: str, digest: str) -> None:
        self.db.execute("update learner set page = ? where id = ?", (digest, learner))

    def standing(self, learner: str) -> str:
        """Return how the learner stood when that was last written down, "" for never."""
        row = self.db.execute("select standing from learner where id = ?", (learner,)).fetchone()
        return str(row[0]) if row else ""

    def stands(self, learner: str, standing: str) -> None:
        self.db.execute("update learner set standing = ? where id = ?", (standing, learner))

    # ------------------------------------------------------------ attempts and records

    def attempt(self, entry: Entry, slugs: Iterable[str], *, problem: str = "", fault: str = "") -> int:
        """Record that a submission is there, with answers to `slugs`; return its number. Records of other slugs are dropped."""
        with self.together():
            self.db.execute(
                "insert into attempt (name, learner, submitted_at, came_from, fault, problem) values (?, ?, ?, ?, ?, ?) "
                "on conflict (name) do update set learner = excluded.learner, submitted_at = excluded.submitted_at, "
                "came_from = excluded.came_from, fault = excluded.fault, problem = excluded.problem",
                (entry.name, entry.learner, entry.submitted_at, entry.came_from, fault, problem),
            )
            (number,) = self.db.execute("select id from attempt where name = ?", (entry.name,)).fetchone()
            kept = tuple(slugs)
            holes = ", ".join("?" * len(kept))
            self.db.execute(f"delete from piece where attempt = ? and slug not in ({holes})", (number, *kept))
        return int(number)

    def attempts(self, learner: str | None = None) -> list[Attempt]:
        """Return the attempts of one learner or of all, in the order in which they were handed in."""
        where, values = ("where learner = ?", (learner,)) if learner is not None else ("", ())
        query = f"select {', '.join(ATTEMPT)} from attempt {where} order by learner, submitted_at, name"
        return [Attempt(*row) for row in self.db.execute(query, values)]

    def keys(self, attempt: int) -> dict[str, tuple[str, str]]:
        """Return key and verdict of each record of an attempt, by slug."""
        rows = self.db.execute("select slug, key, verdict from piece where attempt = ?", (attempt,))
        return {slug: (key, verdict) for slug, key, verdict in rows}

    def keep(self, record: Record, *, staged: bool = False) -> None:
        """Write one record, in place of the one that is there; it is safe once this returns."""
        self.db.execute(PUT.format("staged" if staged else "piece"), [getattr(record, name) for name in RECORD])

    def records(self, attempt: int | None = None, *, staged: bool = False) -> Iterator[Record]:
        """Yield the records of one attempt or of all, one at a time."""
        table = "staged" if staged else "piece"
        where, values = ("where attempt = ?", (attempt,)) if attempt is not None else ("", ())
        for row in self.db.execute(f"select {', '.join(RECORD)} from {table} {where} order by attempt, slug", values):
            yield Record(*row)

    def parts(self) -> Iterator[tuple[str, str]]:
        """Yield what the key of each record is made of, with its slug; of equal ones the first."""
        yield from self.db.execute("select distinct slug, parts from piece")

    def unstage_one(self, attempt: int, slug: str) -> None:
        self.db.execute("delete from staged where attempt = ? and slug = ?", (attempt, slug))

    def unstage(self, *, apply: bool) -> None:
        """Forget the staged records; with `apply` they take the place of the others first, all of them or none."""
        with self.together():
            if apply:
                columns = ", ".join(RECORD)
                self.db.execute(f"insert or replace into piece ({columns}) select {columns} from staged")
            self.db.execute("delete from staged")

    # ------------------------------------------------------------ trials and marks

    def tries(self, key: str) -> int:
        """Return how often a run began with this and was never heard of again."""
        row = self.db.execute("select tries from trial where key = ?", (key,)).fetchone()
        return int(row[0]) if row else 0

    def begin(self, key: str, tries: int) -> None:
        self.db.execute("insert or replace into trial values (?, ?)", (key, tries))

    def finished(self, record: Record, key: str, *, staged: bool = False) -> None:
        """Write a record and forget that it was under way."""
        with self.together():
            self.keep(record, staged=staged)
            self.db.execute("delete from trial where key = ?", (key,))

    def mark(self, learner: str, slug: str, question: str, answer: str, points: float, most: float, note: str) -> None:
        """Write what a person gave an answer; `answer` is its digest, so that another answer waits anew."""
        row = (learner, slug, question, answer, points, most, note)
        self.db.execute("insert or replace into mark values (?, ?, ?, ?, ?, ?, ?)", row)

    def unmark(self, learner: str, slug: str, question: str, answer: str) -> None:
        where = "learner = ? and slug = ? and question = ? and answer = ?"
        self.db.execute(f"delete from mark where {where}", (learner, slug, question, answer))

    def marks(self, learner: str | None = None) -> Mapping[tuple[str, str, str, str], tuple[float, float, str]]:
        """Return (points, maximum, note) by (learner, slug, question, digest of the answer)."""
        where, values = ("where learner = ?", (learner,)) if learner is not None else ("", ())
        return {tuple(row[:4]): tuple(row[4:]) for row in self.db.execute(f"select * from mark {where}", values)}


def _locked(path: Path) -> int:
    """Return a file that this process alone holds, for as long as it is open or the process lives; raise InUse."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if sys.platform == "win32":  # no such lock there: SQLite alone keeps runs apart
        return handle
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise InUse(f"another run is writing into {path.parent}") from None
    return handle
