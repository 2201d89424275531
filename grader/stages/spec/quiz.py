"""A quiz file in, a `Quiz` out, or every problem of the file in one pass."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from grader.kinds.drawn import Varies
from grader.kinds.questions import QUESTIONS
from grader.model import Question, Quiz, message
from grader.stages.spec.explain import sift, validate
from grader.stages.spec.models import QuestionFile, QuizFile
from grader.stages.spec.reader import read_yaml
from grader.stages.spec.source import Problem, Source, Where, author_error, clean, or_near
from grader.stages.spec.text import check_file_name, read_text
from grader.stages.spec.variants import frozen, read_draws, with_draw
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
    reader = _Reader(source, read_draws(path), exercises, source.at(("graded",)) is True, problems)
    questions = tuple(reader.questions())
    if problems or file is None or slug is None:
        raise author_error(name, problems)
    return Quiz(slug, file.title, file.intro, questions, file.graded, name, tries=file.tries)


@dataclass
class _Reader:
    """Reads the questions of one file; what is wrong with them goes into `problems`."""

    source: Source
    draws: Mapping[str, Any]
    exercises: Collection[str] | None
    graded: bool
    problems: list[Problem]

    def questions(self) -> Iterator[Question]:
        """Yield each question that could be read."""
        listed = self.source.at(("questions",))
        seen: set[str] = set()
        for index in range(len(listed) if isinstance(listed, list) else 0):
            path = ("questions", index)
            if not isinstance(self.source.at(path), dict):
                continue  # the model says so
            common = sift(validate(QuestionFile, self.source, path), self.problems)
            if common is None:
                sift(kind_word(QUESTIONS, self.source, path, COMMON), self.problems)
                continue
            self.check(common, seen, path)
            seen.add(common.id)
            yield from self.varied(common.varies, path) if common.varies else self.one(path, self.source.at(path))

    def check(self, common: QuestionFile, seen: Collection[str], path: Where) -> None:
        """Say it when an id is there already, or an exercise is not."""
        if common.id in seen:
            what = message("a question `{id}` is there already", id=clean(common.id))
            self.problems.append(self.source.problem((*path, "id"), what))
        if self.exercises is not None and common.practises is not None and common.practises not in self.exercises:
            what = message("the course has no exercise `{slug}`", slug=common.practises)
            self.problems.append(
                self.source.problem((*path, "practises"), or_near(what, common.practises, self.exercises))
            )

    def varied(self, varies: Varies, path: Where) -> Iterator[Question]:
        """Yield a question that varies: as its first draw has it, with all of its draws."""
        draws = sift(frozen(self.source, path, varies, self.draws), self.problems) or ()
        found = [question for draw in draws for question in self.one(path, with_draw(self.source.at(path), draw))]
        if found:
            yield replace(found[0], draws=tuple(found))

    def one(self, path: Where, raw: dict[str, Any]) -> Iterator[Question]:
        """Yield the question that plain data makes, unless there is a problem with it."""
        common = sift(validate(QuestionFile, self.source, path, raw), self.problems)
        spec = sift(kind_word(QUESTIONS, self.source, path, COMMON, raw), self.problems)
        if spec is None or common is None:
            return
        if not spec.has_key and not self.graded:
            what = message("it has no key: only a graded quiz may come without its keys")
            self.problems.append(self.source.problem(path, what))
        fields = common.model_dump(exclude={"kind", "varies"})
        yield Question(spec=spec, **fields)
