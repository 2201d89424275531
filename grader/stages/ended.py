"""Code of a course in that would end this program, a GraderError that says where it stands out."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.model import GraderError

FOLDERS = ("reference_impl", "kinds")


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
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).parent.name in FOLDERS] or frames
    return f"{'/'.join(Path(own[-1].filename).parts[-2:])}:{own[-1].lineno}"
