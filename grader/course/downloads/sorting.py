"""The files of one submission in, what is to be graded out: which file answers which exercise or quiz of the course."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from grader.course.downloads.members import NOTEBOOK, SHEETS, Content
from grader.model import Course, Message, Response, Submission, message
from grader.stages.intake import Refused, checked
from grader.stages.notebook import Notebook, defined, notebook_of, submission_from
from grader.stages.notebook.reading import cells_of
from grader.stages.spec import read_answers

COPY = re.compile(r"(.+?)(?: ?\(\d+\)| - Copy)")
NUMBERED = re.compile(r"^\d+[_-]")


@dataclass(frozen=True)
class Wanted:
    """What is graded of a course: the function of each exercise by slug, and the quizzes."""

    functions: Mapping[str, str]
    quizzes: tuple[str, ...]

    @staticmethod
    def of(course: Course, slugs: Collection[str] = ()) -> Wanted:
        """Return all of the course, or only `slugs`."""
        order = [slug for module in course.modules for slug in (*module.exercises, *module.quizzes)]
        kept = [slug for slug in order if not slugs or slug in slugs]
        functions = {slug: course.exercises[slug].signature.name for slug in kept if slug in course.exercises}
        return Wanted(functions, tuple(slug for slug in kept if slug in course.quizzes))

    @property
    def slugs(self) -> tuple[str, ...]:
        return (*self.functions, *self.quizzes)


@dataclass(frozen=True)
class Piece:
    """One answer: what was handed in for one exercise or quiz."""

    slug: str
    given: Submission | Response


def sort_files(files: Mapping[str, Content], wanted: Wanted) -> tuple[Piece, ...]:
    """Return one piece for each exercise and quiz that the files answer, in the order of the course.

    A file is known by its name, else by the functions that it defines. Two different files for one exercise are the learner's problem.
    """
    code = {name: content for name, content in files.items() if not name.lower().endswith(SHEETS)}
    named, unnamed = _by_name(code, wanted.functions)
    found = {slug: piece for slug, names in named.items() for piece in [_exercise(slug, names, files, wanted)]}
    if len(wanted.functions) == 1 and len(unnamed) == 1 and not found:
        (slug,) = wanted.functions
        found[slug] = _exercise(slug, unnamed, files, wanted)
    else:
        missing = {slug: function for slug, function in wanted.functions.items() if slug not in found}
        for slug, names in _by_definition({name: files[name] for name in unnamed}, missing).items():
            found[slug] = _exercise(slug, names, files, wanted)
    for piece in _sheets(files, wanted):
        found.setdefault(piece.slug, piece)
    return tuple(found[slug] for slug in wanted.slugs if slug in found)


def slug_of(name: str, known: Collection[str]) -> str | None:
    """Return the slug that a file name tells: `attention.py`, `04_attention.py` and `attention (1).py` are all `attention`."""
    stem = PurePosixPath(name).stem
    copied = COPY.fullmatch(stem)
    stems = [stem, *([copied[1]] if copied else [])]
    return next((s for stem in stems for s in (stem, NUMBERED.sub("", stem)) if s in known), None)


def _by_name(code: Mapping[str, Content], known: Collection[str]) -> tuple[dict[str, list[str]], list[str]]:
    named: dict[str, list[str]] = {}
    unnamed = []
    for name in code:
        slug = slug_of(name, known)
        if slug is None:
            unnamed.append(name)
        else:
            named.setdefault(slug, []).append(name)
    return named, unnamed


def _by_definition(code: Mapping[str, Content], functions: Mapping[str, str]) -> dict[str, list[str]]:
    """Return which files define the function of each exercise; of programs by pattern, since the judge does not parse them."""
    found: dict[str, list[str]] = {}
    for name, content in code.items():
        for slug in _defines(name, content, functions):
            found.setdefault(slug, []).append(name)
    return found


def _defines(name: str, content: Content, functions: Mapping[str, str]) -> Iterator[str]:
    if isinstance(content, Message):
        return
    if name.lower().endswith(NOTEBOOK):
        notebook = _notebook(content)
        there = defined(notebook, functions.values()) if isinstance(notebook, Notebook) else ()
        yield from (slug for slug, function in functions.items() if function in there)
        return
    text = content.decode("utf-8", "replace")
    names = {
        found[1] or found[2]
        for found in re.finditer(r"^(?:(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)|(\w+)[ \t]*[:=])", text, re.MULTILINE)
    }
    yield from (slug for slug, function in functions.items() if function in names)


def _exercise(slug: str, names: list[str], files: Mapping[str, Content], wanted: Wanted) -> Piece:
    first = names[0]
    if any(files[name] != files[first] for name in names[1:]):
        shown = ", ".join(names[:4])
        return Piece(
            slug,
            Submission(
                first, slug, problem=message("Several files answer this exercise: {names}. Keep one.", names=shown)
            ),
        )
    content = files[first]
    if isinstance(content, Message):
        return Piece(slug, Submission(first, slug, problem=content))
    if first.lower().endswith(NOTEBOOK):
        notebook = _notebook(content)
        if isinstance(notebook, Message):
            return Piece(slug, Submission(first, slug, problem=notebook))
        return Piece(slug, submission_from(notebook, slug, wanted.functions[slug], first))
    try:
        return Piece(slug, Submission(first, slug, checked(content, slug)))
    except Refused as refused:
        return Piece(slug, Submission(first, slug, problem=refused.why))


def _notebook(data: bytes) -> Notebook | Message:
    try:
        return notebook_of(cells_of(data))
    except Refused as refused:
        return refused.why


def _sheets(files: Mapping[str, Content], wanted: Wanted) -> Iterator[Piece]:
    found: dict[str, list[tuple[str, Response]]] = {}
    for name, content in files.items():
        if not name.lower().endswith(SHEETS):
            continue
        response = Response(name, None, {}, (content,)) if isinstance(content, Message) else read_answers(content, name)
        slug = response.slug if response.slug in wanted.quizzes else slug_of(name, wanted.quizzes)
        if slug is not None:
            found.setdefault(slug, []).append((name, response))
    for slug, sheets in found.items():
        name, response = sheets[0]
        if any(files[other] != files[name] for other, _ in sheets[1:]):
            shown = ", ".join(other for other, _ in sheets[:4])
            what = message("Several sheets answer this quiz: {names}. Keep one.", names=shown)
            response = Response(name, slug, {}, (what,))
        yield Piece(slug, response)
