"""The gradebook as a table: who is in it twice by the looks stays two learners."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from small_class import write_course

from grader.course.downloads import Person, Wanted
from grader.course.folder import load_course
from grader.course.gradebook import Book, rows
from grader.course.gradebook.sheet import gradebook
from grader.course.policy import Policy
from grader.course.store import Store

ALIKE = ("=1+1", "'=1+1", "new line", "new\nline", "plain")


def test_ids_that_look_alike_in_a_table_stay_apart(tmp_path: Path) -> None:
    write_course(tmp_path / "course")
    course = load_course(tmp_path / "course")
    with Store(tmp_path / "out", writing=True) as store:
        store.enrol(Person(name) for name in ALIKE)
        book = Book(course, Wanted.of(course), Policy(), {})
        text = gradebook(rows(store, book), book)
    ids = [row["learner"] for row in csv.DictReader(io.StringIO(text, newline=""))]
    assert len(ids) == len(set(ids)) == len(ALIKE)
    assert "plain" in ids
