"""A quiz in, what is wrong with its keys out: questions that nothing judges, and keys that nothing is held against."""

from __future__ import annotations

from collections.abc import Iterator

from grader.author.finding import Finding, found_at
from grader.model import Quiz, message
from grader.stages.sheet import kind_of
from grader.stages.spec.source import Source


def key_findings(quiz: Quiz, source: Source) -> Iterator[Finding]:
    """Yield what is to be said about the keys of a quiz."""
    for at, question in enumerate(quiz.questions):
        spec, place = kind_of(question), ("questions", at, "id")
        if not spec.has_key:
            what = message("the question {id} has no key: nobody can judge it", id=question.id)
            yield found_at(source, place, what, message("Write its key here; learners' copies are made without it."))
        elif (
            "computed_by" in type(spec).model_fields
            and getattr(spec, "computed_by", None) is None
            and not question.draws
        ):
            what = message("the key of {id} is typed in, and held against nothing", id=question.id)
            remedy = message("With `computed_by` the reference computes it too.")
            yield found_at(source, place, what, remedy, mend=False)
