"""Paths of the command line in, what is to be graded out: which file is which exercise or quiz, which have no file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.cli.stop import NOT_REACHED, Stop, no_such, some
from grader.kinds import nearest
from grader.model import Course, Response, Submission, message

SHEETS = (".yaml", ".yml")
NOTEBOOK = ".ipynb"
FILES = (".py", NOTEBOOK, *SHEETS)
SKIPPED = {"__pycache__", "node_modules", "site-packages"}  # and every folder whose name begins with a dot


@dataclass(frozen=True)
class Target:
    """One file to grade, or None as `path` for an exercise or quiz of the course that has no file.

    `response` is there when the path is an answer sheet, `submission` when it is a notebook.
    """

    slug: str
    path: Path | None
    response: Response | None = None
    submission: Submission | None = None


def slug_in_name(path: Path, known: Collection[str]) -> str | None:
    """Return the slug that a file name tells: `attention.py` and `04_attention.py` are both `attention`."""
    stem = path.stem
    bare = re.sub(r"^\d+[_-]", "", stem)
    return next((name for name in (stem, bare) if name in known), None)


def must_exist(paths: Iterable[Path], lang: str) -> None:
    """Raise `Stop` for a path that is not there or out of reach; a dangling link is there, and is the learner's problem."""
    for path in paths:
        if closed := _closed(path):
            why = message("{path} is out of reach: the permissions of {folder} forbid it.", path=path, folder=closed)
            raise Stop(why, lang)
        if os.path.lexists(path):
            continue
        beside = os.listdir(path.parent) if os.access(path.parent, os.R_OK | os.X_OK) else []
        if near := nearest(path.name, beside):
            raise Stop(message("{path} is not there. Did you mean {near!r}?", path=path, near=near), lang)
        raise Stop(message("{path} is not there.", path=path), lang)


def _closed(path: Path) -> Path | None:
    """Return the folder that keeps a path, or what is in it, out of reach."""
    is_folder = os.path.isdir  # Path.is_dir raises where it may not look
    if is_folder(path):
        return None if os.access(path, os.R_OK | os.X_OK) else path
    return path.parent if is_folder(path.parent) and not os.access(path.parent, os.X_OK) else None


def may_run_code(paths: Iterable[Path]) -> bool:
    """Return whether there could be a learner's code in `paths`; the sandbox starts before more is known."""
    return any(path.suffix not in SHEETS for path in paths)


class Finder:
    """Finds the targets in one course; `read_answers(path, shown)` reads a sheet."""

    def __init__(self, course: Course, narrowed: str | None, read_answers: Callable[[Path, str], Response], lang: str):
        self.course = course
        self.narrowed = narrowed
        self.read_answers = read_answers
        self.lang = lang
        known = (*course.exercises, *course.quizzes)
        if narrowed is not None and narrowed not in known:
            raise no_such(narrowed, known, lang)

    def slug(self, path: Path) -> str | None:
        """Return which exercise or quiz a file is by its name, None where the name does not tell."""
        return slug_in_name(path, self.course.quizzes if path.suffix in SHEETS else self.course.exercises)

    def targets(self, paths: Iterable[Path]) -> tuple[Target, ...]:
        """Return the targets of all paths, in the order of the paths, and inside a folder in that of the course."""
        return tuple(target for path in paths for target in self._of(path))

    def _of(self, path: Path) -> Iterator[Target]:
        if path.is_dir() and path.suffix not in FILES:
            yield from self._folder(path)
        elif path.suffix == ".py":
            yield Target(self._named(path, self.course.exercises), path)
        elif path.suffix in SHEETS:
            yield self._sheet(path)
        elif path.suffix == NOTEBOOK:
            yield from self._notebook(path, self.narrowed or slug_in_name(path, self.course.exercises))
        else:
            why = message(
                "{path} is no file to grade: expected a .py file, a notebook, a .yaml answer sheet or a folder.",
                path=path,
            )
            raise Stop(why, self.lang)

    def _named(self, path: Path, known: Collection[str]) -> str:
        slug = self.narrowed or slug_in_name(path, known)
        if slug in known:
            return str(slug)
        if self.narrowed:
            raise Stop(message("{path} cannot be {slug}.", path=path, slug=self.narrowed), self.lang)
        hint = nearest(path.stem, known)
        if hint:
            why = message(
                "Which exercise is {path}? Its name is close to {near!r}: rename it, or add --exercise {near}.",
                path=path,
                near=hint,
            )
        else:
            why = message("Which exercise is {path}? Add --exercise and one of: {known}.", path=path, known=some(known))
        raise Stop(why, self.lang)

    def _sheet(self, path: Path) -> Target:
        response = self.read_answers(path, str(path))
        quizzes = self.course.quizzes
        if self.narrowed is None and response.slug is not None and response.slug not in quizzes:
            raise no_such(response.slug, quizzes, self.lang)
        slug = self.narrowed if self.narrowed in quizzes else response.slug or slug_in_name(path, quizzes)
        if slug is None and response.problems:
            raise Stop(
                message("{path} cannot be read: {why}", path=path, why=response.problems[0]),
                self.lang,
                code=NOT_REACHED,
            )
        return Target(slug or self._named(path, quizzes), path, response)

    def _notebook(self, path: Path, slug: str | None) -> Iterator[Target]:
        """Yield one target for `slug`, or one for each function of the course that the notebook defines."""
        from grader.stages.intake import Refused
        from grader.stages.notebook import MissingExtra, read_notebook

        functions = {name: exercise.signature.name for name, exercise in self.course.exercises.items()}
        if slug is not None and slug not in functions:
            raise Stop(message("{path} cannot be {slug}.", path=path, slug=slug), self.lang)
        try:
            found = read_notebook(path, str(path), functions, slug)
        except MissingExtra as missing:
            raise Stop(missing.why, self.lang) from missing
        except Refused as refused:
            why = message("{path} cannot be read: {why}", path=path, why=refused.why)
            raise Stop(why, self.lang, code=NOT_REACHED) from refused
        if not found:
            known = some(functions.values())
            raise Stop(message("{path} defines none of: {known}. Add --exercise.", path=path, known=known), self.lang)
        yield from (Target(each.slug or "", path, submission=each) for each in found)

    def _folder(self, folder: Path) -> Iterator[Target]:
        order = [slug for module in self.course.modules for slug in (*module.exercises, *module.quizzes)]
        wanted = [slug for slug in order if self.narrowed in (None, slug)]
        found: dict[str, Path] = {}
        for path in files_under(folder):
            known = self.course.quizzes if path.suffix in SHEETS else self.course.exercises
            slug = slug_in_name(path, known)
            if slug not in wanted:
                continue
            if slug in found:
                why = message(
                    "{slug} is there twice: {one} and {other}. Keep one.", slug=slug, one=found[slug], other=path
                )
                raise Stop(why, self.lang)
            found[slug] = path
        if not found:
            why = message(
                "{folder} has no file to grade. Expected one such as {name}.", folder=folder, name=f"{wanted[0]}.py"
            )
            raise Stop(why, self.lang, code=NOT_REACHED)
        for slug in wanted:
            file = found.get(slug)
            if file and file.suffix == NOTEBOOK:
                yield from self._notebook(file, slug)
            else:
                yield self._sheet(file) if file and slug in self.course.quizzes else Target(slug, file)


def files_under(folder: Path) -> Iterator[Path]:
    """Yield every .py, .ipynb and .yaml under `folder`, sorted; links to folders and hidden folders are not entered."""
    for where, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in SKIPPED)
        # a folder or a link called x.py is a learner's slip that has to be named, so it counts as a file here
        odd = [name for name in folders if name.endswith(FILES)]
        folders[:] = [name for name in folders if name not in odd]
        yield from sorted(Path(where, name) for name in (*files, *odd) if name.endswith(FILES))
