"""A quiz file in, a `Quiz` out, or every problem of the file in one pass."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from grader.kinds.questions import QUESTIONS
from grader.model import Question, Quiz, message
from grader.stages.spec.explain import sift, validate
from grader.stages.spec.models import QuestionFile, QuizFile
from grader.stages.spec.reader import read_yaml
from grader.stages.spec.source import Problem, Source, author_error, clean, or_near
from grader.stages.spec.text import check_file_name, read_text
from grader.stages.spec.words import kind_word

COMMON = frozenset(QuestionFile.model_fields)


def load_quiz(path: Path, shown: str | None = None, *, exercises: Collection[str] | None = None) -> Quiz:
    """Return the quiz in a file.

    `shown` is the path that messages name. With `exercises`, the slugs of the course, an unknown one in `practises` is a problem.
    Raise AuthorError with every problem of the file.
    """
    name = shown or str(path)
    source = read_yaml(read_text(path, name), name)
    problems: list[Problem] = []
    slug = sift(check_file_name(path), problems)
    file = sift(validate(QuizFile, source), problems)
    questions = _questions(source, exercises, problems)
    if problems or file is None or slug is None:
        raise author_error(name, problems)
    return Quiz(slug, file.title, file.intro, questions, file.graded, name)


def _questions(source: Source, exercises: Collection[str] | None, problems: list[Problem]) -> tuple[Question, ...]:
    listed = source.at(("questions",))
    questions: list[Question] = []
    seen: set[str] = set()
    for index in range(len(listed) if isinstance(listed, list) else 0):
        path = ("questions", index)
        if not isinstance(source.at(path), dict):
            continue  # the model says so
        common = sift(validate(QuestionFile, source, path), problems)
        spec = sift(kind_word(QUESTIONS, source, path, COMMON), problems)
        if common is None:
            continue
        if common.id in seen:
            problems.append(
                source.problem((*path, "id"), message("a question `{id}` is there already", id=clean(common.id)))
            )
        seen.add(common.id)
        if exercises is not None and common.practises is not None and common.practises not in exercises:
            what = message("the course has no exercise `{slug}`", slug=common.practises)
            problems.append(source.problem((*path, "practises"), or_near(what, common.practises, exercises)))
        if spec is not None:
            fields = common.model_dump(exclude={"kind"})
            questions.append(Question(spec=spec, **fields))
    return tuple(questions)
