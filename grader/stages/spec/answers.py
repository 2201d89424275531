"""A learner's answer sheet in, a `Response` out; a sheet that cannot be read becomes problems, never an exception."""

from __future__ import annotations

from pathlib import Path

from grader.model import Message, Response
from grader.stages.spec.explain import sift, validate
from grader.stages.spec.models import AnswersFile
from grader.stages.spec.reader import parse
from grader.stages.spec.source import Problem
from grader.stages.spec.text import bytes_of, text_of


def read_answers(sheet: Path | bytes | str, shown: str) -> Response:
    """Return the answers on a sheet that nothing is known about, by question id and without those left empty.

    `sheet` is a path, or what the file holds; `shown` is the path that messages name. With any problem there are no answers, and the
    slug is what could be read of it.
    """
    text = _text(sheet)
    if isinstance(text, Problem):
        return Response(shown, None, {}, (text.line(shown),))
    source, problems = parse(text, shown)
    file = None if problems else sift(validate(AnswersFile, source), problems)
    slug = source.at(("quiz",))
    slug = slug if isinstance(slug, str) else None
    if problems or file is None:
        ordered = sorted(problems, key=lambda problem: problem.place)
        return Response(shown, slug, {}, tuple(problem.line(shown) for problem in ordered))
    answers = {question: answer for question, answer in source.data["answers"].items() if answer is not None}
    return Response(shown, slug, answers, draw=file.draw, tries=file.tries)


def _text(sheet: Path | bytes | str) -> str | Problem:
    if isinstance(sheet, str):
        return sheet
    data = bytes_of(sheet, follow=False) if isinstance(sheet, Path) else sheet
    return Problem((1, 1), (), data) if isinstance(data, Message) else text_of(data)
