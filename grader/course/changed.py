"""A graded class and its course as it is now in, what has changed since out: there the records still have the points of before."""

from __future__ import annotations

import json

from grader.course.batch.identity import versions_of
from grader.course.gradebook import Book
from grader.course.store import Store


def changed(store: Store, book: Book) -> tuple[str, ...]:
    """Return the exercises and quizzes whose file or reference is another than the one that a record was made with.

    The answers and the settings of the run are no part of it, nor is the policy: points are made of results later.
    """
    versions = versions_of(book.course, seed=0, secret=b"", device="", level="")
    found = set()
    for slug, text in store.parts():
        parts = json.loads(text)
        if slug in versions.files and slug in book.wanted.slugs:
            now = {"file": versions.files[slug], "reference": versions.reference if parts.get("reference") else ""}
            if any(parts.get(part, "") != digest for part, digest in now.items()):
                found.add(slug)
    return tuple(slug for slug in book.wanted.slugs if slug in found)
