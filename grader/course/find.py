"""Where the course lies, and what its learners may import: all that is needed before the rest of it is read."""

from __future__ import annotations

import os
from pathlib import Path

import yaml

import grader
from grader.model import Message, message

COURSE_FILE = "course.yaml"
PACKAGES = ("attention-grader", "attention-grader-learner")
"""The judge's distribution, and the learner's; both hold the package `grader`."""


class NoCourse(Exception):
    """There is no course where one was looked for; `why` says what to do."""

    def __init__(self, why: Message):
        super().__init__(why.template)
        self.why = why


def find_course(named: Path | None = None, *, above: Path | None = None) -> Path:
    """Return the folder of the course: the one that the user named, or the built-in one. Raise NoCourse when there is none.

    With `above`, a course that this folder lies in comes before the built-in one. That is for authors in their own folder: grading runs
    the reference of a course, so a learner's folder must not be able to bring its own.
    """
    refuse_both()
    if named is not None:
        if not has_course_file(named):
            raise NoCourse(message("{folder} is no course: it has no course.yaml", folder=str(named)))
        return named
    package = Path(grader.__file__).resolve().parent
    here = above.resolve() if above else None
    around = (here, *here.parents) if here else ()
    found = next((f for f in (*around, package / "_course", package.parent) if has_course_file(f)), None)
    if found is None:
        raise NoCourse(message("there is no course here, and none is installed: name one with --course"))
    return found


def has_course_file(folder: Path) -> bool:
    """Whether a folder holds a course; raise NoCourse where its course.yaml can be none: the course beyond it is not the one meant."""
    file = folder / COURSE_FILE
    if not os.path.lexists(file) or file.is_file():
        return file.is_file()
    if file.is_dir():
        raise NoCourse(message("{file} is a folder, not a file", file=str(file)))
    if file.is_symlink() and not file.exists():
        raise NoCourse(message("{file} is a link that leads nowhere", file=str(file)))
    raise NoCourse(message("{file} is not an ordinary file", file=str(file)))


def refuse_both() -> None:
    """Raise NoCourse where the judge's package and the learner's are both installed: which of them graded would be chance."""
    both = " ".join(name for name in PACKAGES if _installed(name))
    package = Path(grader.__file__).resolve().parent / "_course"
    if " " in both or all(
        (package / name).is_file() for name in ("reference_impl/__init__.py", "expectations/index.json")
    ):
        what = message(
            "{one} and {other} are both installed, and each must be alone. Remove one of them: pip uninstall {other}",
            one=PACKAGES[0],
            other=PACKAGES[1],
        )
        raise NoCourse(what)


def _installed(name: str) -> bool:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return bool(distribution(name))
    except PackageNotFoundError:
        return False


def preload_of(root: Path) -> tuple[str, ...]:
    """Return the modules that `course.yaml` lets learners import; anything odd is left for the loader to explain."""
    try:
        preload = yaml.safe_load((root / COURSE_FILE).read_text(encoding="utf-8"))["preload"]
    except (OSError, ValueError, TypeError, KeyError, yaml.YAMLError):
        return ()
    return tuple(name for name in preload if isinstance(name, str)) if isinstance(preload, list) else ()
