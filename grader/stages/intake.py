"""A learner's file in, a `Submission` out: read once, into memory; what cannot be read becomes its problem, never an exception."""

from __future__ import annotations

from pathlib import Path

from grader.model import Message, Submission, message
from grader.stages.spec.source import Problem
from grader.stages.spec.text import bytes_of, text_of


def read_submission(path: Path, slug: str, shown: str) -> Submission:
    """Return the submission for the exercise `slug`; `shown` is the path that messages name. Links, folders and pipes are not read."""
    data = bytes_of(path, follow=False)
    if isinstance(data, Message):
        return Submission(shown, slug, problem=data)
    if not data.strip():
        return Submission(shown, slug, problem=message("the file is empty"))
    text = text_of(data)
    if isinstance(text, Problem):
        line, column = text.place
        where = message("line {line}, column {column}: {what}", line=line, column=column, what=text.what)
        return Submission(shown, slug, problem=where)
    return Submission(shown, slug, source=data)
