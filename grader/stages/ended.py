"""Code of a course in that would end this program, a GraderError that says where it stands out."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.model import GraderError

LOADED_AS = ("_reference_", "_kinds_")
"""How the names of modules of a course begin."""


@contextmanager
def unended() -> Iterator[None]:
    """Raise GraderError where the code inside would end this program, as `sys.exit` does: it would look like success.

    What a user interrupts stays interrupted.
    """
    try:
        yield
    except (Exception, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        raise GraderError(told_of_end(error)) from error


def told_of_end(error: BaseException) -> str:
    """Return where the course's own code raised something that is no `Exception`, and what it was."""
    return f"{place_of(error)}: {type(error).__name__}: {error}: this would end the program, so it has to go"


def place_of(error: BaseException) -> str:
    """Return the last line of a course's own code that an exception came through, as `folder/file:line`."""
    frames = list(traceback.walk_tb(error.__traceback__))
    own = [(frame, line) for frame, line in frames if str(frame.f_globals.get("__name__")).startswith(LOADED_AS)]
    frame, line = (own or frames)[-1]
    return f"{'/'.join(Path(frame.f_code.co_filename).parts[-2:])}:{line}"
