"""What was read from a YAML file, with the place of every key and value, and problems that know their place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grader.kinds import nearest
from grader.locale import say
from grader.model import AuthorError, Message, message

Where = tuple[str | int, ...]
"""The keys and list positions that lead to a value: `("cases", 1, "name")`."""

Place = tuple[int, int]
"""Line and column, both from 1."""

LONGEST_SHOWN = 60


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a file."""

    place: Place
    path: Where
    what: Message

    def line(self, file: str) -> Message:
        """Return the problem as a line `file:line:col: path: message`."""
        where = f"{file}:{self.place[0]}:{self.place[1]}: "
        path = dotted(self.path)
        return Message("{where}{what}", {"where": f"{where}{path}: " if path else where, "what": self.what})


@dataclass(frozen=True)
class Source:
    """A YAML file as plain data, with the places of its values and of its keys."""

    file: str
    data: dict[str, Any]
    values: Mapping[Where, Place] = field(default_factory=dict)
    keys: Mapping[Where, Place] = field(default_factory=dict)

    def place(self, path: Where, *, key: bool = False) -> Place:
        """Return where the value at `path` stands (or its key), else where the nearest thing around it does."""
        if key and path in self.keys:
            return self.keys[path]
        while path not in self.values and path:
            path = path[:-1]
        return self.values.get(path, (1, 1))

    def at(self, path: Where) -> Any:
        """Return the value at `path`, None where there is none."""
        found: Any = self.data
        for step in path:
            try:
                found = found[step]
            except (KeyError, IndexError, TypeError):
                return None
        return found

    def problem(self, path: Where, what: Message, *, key: bool = False) -> Problem:
        """Return a problem with the value at `path`, or with its key."""
        return Problem(self.place(path, key=key), path, what)


def author_error(file: str, problems: Iterable[Problem]) -> AuthorError:
    """Return the error that lists the problems of one file in the order of their places."""
    ordered = sorted(problems, key=lambda problem: problem.place)
    return AuthorError(list(dict.fromkeys(say(problem.line(file), "en") for problem in ordered)))


def or_near(what: Message, word: str, known: Iterable[str]) -> Message:
    """Return `what`, with the known word that `word` was probably meant to be."""
    near = nearest(word, tuple(known))
    return what if near is None else message("{what} — did you mean `{near}`?", what=what, near=near)


def clean(text: str) -> str:
    """Return text from a file so that it is safe in a message: short, and nothing that a terminal would obey."""
    if len(text) > LONGEST_SHOWN:
        text = text[: LONGEST_SHOWN - 1] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def dotted(path: Where) -> str:
    """Return a path as authors read it: `cases[1].name`."""
    steps = [f"[{step}]" if isinstance(step, int) else f".{clean(step)}" for step in path]
    return "".join(steps).removeprefix(".")
