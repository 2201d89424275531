"""The lines of a cell in, as many lines of Python out: what only IPython understands becomes comments."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

PYTHON_BODIES = ("time", "capture", "prun")
"""Cell magics that run the rest of the cell as Python in the notebook itself; that of all others is something else."""

TOO_DEEP = (RecursionError, MemoryError)
"""What Python raises for source that is nested too deeply, beside SyntaxError."""


def split_lines(source: str) -> tuple[str, ...]:
    """Return the lines as Python counts them: a form feed or U+2028 ends none."""
    return tuple(re.split(r"\r\n|\r|\n", source))


def python_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lines with magics, shell commands and questions commented out; line n stays line n.

    Raises ImportError when there are some and jupytext, which knows them, is not installed.
    """
    magic = next((number for number, line in enumerate(lines) if line.strip()), None)
    if magic is not None and lines[magic].lstrip().startswith("%%"):
        words = lines[magic].strip()[2:].split()
        if not words or words[0] not in PYTHON_BODIES:
            return tuple(f"# {line}" for line in lines)
        lines = (*lines[:magic], f"# {lines[magic]}", *lines[magic + 1 :])
    return lines if is_python(lines) else _commented(lines)


@contextmanager
def quietly() -> Iterator[None]:
    """Keep Python's warnings about the code to itself, such as of an escape that is none: they are the learner's affair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def is_python(lines: tuple[str, ...]) -> bool:
    """Return whether Python can read the lines."""
    try:
        parsed(lines)
    except (SyntaxError, ValueError, *TOO_DEEP):
        return False
    return True


def parsed(lines: tuple[str, ...]) -> ast.Module:
    """Return the syntax tree; raises SyntaxError, ValueError, or one of TOO_DEEP."""
    with quietly():
        return ast.parse("\n".join(lines) + "\n")


def _commented(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Comment out what jupytext takes for magics: only in a cell that is no Python, since `%b` may continue an expression."""
    from jupytext.magics import comment_magic

    changed = comment_magic(list(lines))
    done: list[str] = []
    for old, new in zip(lines, changed, strict=True):
        continues = bool(done) and done[-1].lstrip().startswith(("pass  # ", "# ")) and done[-1].endswith("\\")
        # a magic may be all that a loop or a function holds
        done.append(new if new == old or continues else re.sub(r"^(\s*)# ", r"\1pass  # ", new))
    return tuple(done)
