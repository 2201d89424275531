"""A course in, a learner's folder out; and what that folder remembers: verdicts, and how many hints were given.

Everything remembered lies in `.grader/` inside the folder. Its presence is what makes a folder a workspace.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any

from grader.locale import say
from grader.model import NUMPY, SIZES, Course, Exercise, Module, Quiz, Result, Verdict, message

MEMORY = ".grader"
PROGRESS = "progress.json"
DOCSTRING = re.compile(r'r?"""[\s\S]*?"""')


class WorkExists(Exception):
    """Files that a workspace would need are there already; `names` are theirs."""

    def __init__(self, names: tuple[str, ...]):
        super().__init__(", ".join(names))
        self.names = names


@dataclass(frozen=True)
class Standing:
    """How an exercise or quiz stood when it was last checked."""

    verdict: str
    score: float
    max_score: float


@dataclass(frozen=True)
class Progress:
    """What a workspace remembers, by slug."""

    standings: Mapping[str, Standing] = field(default_factory=dict)
    hints: Mapping[str, int] = field(default_factory=dict)


def file_name(item: Exercise | Quiz) -> str:
    """Return the name that a learner's file for `item` has in a workspace: the slug tells what it is."""
    return f"{item.slug}.py" if isinstance(item, Exercise) else f"{item.slug}.yaml"


def starter(exercise: Exercise, lang: str) -> str:
    """Return the file that a learner begins with: what to define, the prompt as docstring, nothing solved."""
    prompt = f"{say(exercise.title, lang)}\n\n{say(exercise.prompt, lang).strip()}".replace('"""', "'''")
    lines = [f"    {line}".rstrip() for line in prompt.splitlines()]
    opening = 'r"""' if "\\" in prompt else '"""'
    docstring = "\n".join([f"    {opening}{lines[0].strip()}", *lines[1:], '    """'])
    returns_arrays = any(returned != SIZES for returned in exercise.returns.values())
    library = "import numpy as np" if exercise.arrays == NUMPY else "import torch"
    imports = f"{library}  # noqa: F401\n\n\n" if returns_arrays else ""
    if exercise.builds is None:
        return f"{imports}{exercise.definition[0]}\n{docstring}\n    raise NotImplementedError\n"
    first, build, forward = exercise.definition
    body = f"{build}\n        super().__init__()\n        raise NotImplementedError\n\n{forward}\n        raise NotImplementedError\n"
    return f"import torch  # noqa: F401\nfrom torch import nn\n\n\n{first}\n{docstring}\n\n{body}"


def untouched(exercise: Exercise, source: bytes) -> bool:
    """Whether a learner's file is nothing but the starter, in whatever language; what its docstring says does not count."""
    return _code(source.decode("utf-8", "replace")) == _code(starter(exercise, "en"))


def _code(text: str) -> list[str]:
    return [line.rstrip() for line in DOCSTRING.sub("", text).splitlines() if line.strip()]


def items(course: Course) -> Iterable[tuple[Module, tuple[Exercise | Quiz, ...]]]:
    """Yield each module of `course` with its exercises and quizzes, in the order in which they are learnt."""
    for module in course.modules:
        exercises = tuple(course.exercises[slug] for slug in module.exercises)
        yield module, (*exercises, *(course.quizzes[slug] for slug in module.quizzes))


def create(root: Path, course: Course, sheets: Mapping[str, str], lang: str) -> tuple[str, ...]:
    """Make a workspace in `root` and return the names of its files; `sheets` are the answer sheets by slug.

    Raises `WorkExists`, before anything is written, when one of the files is there already.
    """
    files = {file_name(exercise): starter(exercise, lang) for exercise in course.exercises.values()}
    files |= {file_name(quiz): sheets[slug] for slug, quiz in course.quizzes.items()}
    files["README.md"] = introduction(course, lang)
    if there := tuple(name for name in files if os.path.lexists(root / name)):
        raise WorkExists(there)
    root.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8", newline="\n")
    _write(root, Progress())
    return tuple(files)


def introduction(course: Course, lang: str) -> str:
    """Return the README of a workspace: what is in it, in order, and the commands."""
    lines = [f"# {say(course.title, lang)}", ""]
    for module, content in items(course):
        lines += [f"## {say(module.title, lang)}", ""]
        lines += [f"- `{file_name(item)}`: {say(item.title, lang)}" for item in content]
        lines.append("")
    commands = {
        "grader list": message("how far you are, and what comes next"),
        "grader show SLUG": message("what an exercise or quiz asks for")
        if course.quizzes
        else message("what an exercise asks for"),
        "grader check FILE": message("grade a file; `grader check .` grades all of them"),
        "grader hint SLUG": message("the next hint"),
        **({"grader quiz SLUG": message("answer a quiz in the terminal")} if course.quizzes else {}),
        "grader reset SLUG": message("back to the starter; your file is kept as a backup"),
    }
    lines += [f"## {say(message('Commands'), lang)}", ""]
    lines += [f"- `{command}`: {say(told, lang)}" for command, told in commands.items()]
    return "\n".join(lines) + "\n"


def find_workspace(near: Path) -> Path | None:
    """Return the workspace that `near` (a file or folder) lies in, or None."""
    start = near.absolute()
    return next((p for p in (start, *start.parents) if (p / MEMORY / PROGRESS).is_file()), None)


def read_progress(root: Path) -> Progress:
    """Return what the workspace `root` remembers; a file that is not what we wrote counts as nothing remembered."""
    try:
        data: dict[str, Any] = json.loads((root / MEMORY / PROGRESS).read_text(encoding="utf-8"))
        standings = {str(slug): _standing(**standing) for slug, standing in data["standings"].items()}
        return Progress(standings, {str(slug): max(0, int(n)) for slug, n in data["hints"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return Progress()


def _standing(verdict: str, score: float, max_score: float) -> Standing:
    if not all(isfinite(points) for points in (score, max_score)):
        raise ValueError("points without end")
    return Standing(Verdict(verdict).value, score, max_score)


def record(root: Path, results: Iterable[Result]) -> None:
    """Remember how `results` stand; what could not be judged through our own fault leaves what was remembered.

    A file that is the starter again is forgotten: it counts as not started.
    """
    results, old = tuple(results), read_progress(root)
    begun = [r for r in results if r.verdict not in (Verdict.GRADER_ERROR, Verdict.NOT_SUBMITTED)]
    blank = [r.slug for r in results if r.verdict is Verdict.NOT_SUBMITTED and r.path]
    kept = {slug: standing for slug, standing in old.standings.items() if slug not in blank}
    new = {r.slug: Standing(r.verdict.value, r.score, r.max_score) for r in begun}
    if kept | new != old.standings:
        _write(root, replace(old, standings=kept | new))


def record_hint(root: Path, slug: str, number: int) -> None:
    """Remember that hint `number` (from 1) was given."""
    old = read_progress(root)
    _write(root, replace(old, hints={**old.hints, slug: max(number, old.hints.get(slug, 0))}))


def reset(root: Path, name: str, text: str) -> Path | None:
    """Put `text` into the file `name` and return where the old file was moved to, None when there was none."""
    file, backup = root / name, None
    if os.path.lexists(file):
        folder = root / MEMORY / "backups"
        folder.mkdir(parents=True, exist_ok=True)
        taken = {int(p.suffix[1:]) for p in folder.glob(f"{name}.*") if p.suffix[1:].isdigit()}
        backup = folder / f"{name}.{max(taken, default=0) + 1}"
        file.rename(backup)
    file.write_text(text, encoding="utf-8", newline="\n")
    return backup


def _write(root: Path, progress: Progress) -> None:
    folder = root / MEMORY
    folder.mkdir(exist_ok=True)
    part = folder / f"{PROGRESS}.{os.getpid()}"
    part.write_text(json.dumps(asdict(progress), indent=1, sort_keys=True), encoding="utf-8")
    part.replace(folder / PROGRESS)
