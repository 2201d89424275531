"""In the child: which imports the learner's file may make, and which modules were looked for in vain."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from faults import is_a  # type: ignore[import-not-found]

CAUSE, CONTEXT = vars(BaseException)["__cause__"], vars(BaseException)["__context__"]


class Forbidden(ImportError):
    """An import of something that the course does not provide."""


def guarded_import(allowed: frozenset[str]) -> Callable[..., Any]:
    """`__import__` for the learner's own file: what the course does not provide is refused with a plain message.

    Advice for the honest. What keeps the others out is the lock.
    """
    real = builtins.__import__

    def guarded(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if level or name.partition(".")[0] not in allowed:
            raise Forbidden("." * level + name)
        return real(name, globals, locals, fromlist, level)

    return guarded


class Missed:
    """Last on `sys.meta_path`: remembers which modules were looked for in vain."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if len(self.names) < 32:
            self.names.append(name)


def caused_by_import(error: BaseException | None) -> bool:
    for _ in range(16):
        if error is None:
            return False
        if is_a(error, ImportError):
            return True
        error = CAUSE.__get__(error) or CONTEXT.__get__(error)
    return False
