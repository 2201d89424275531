"""A path to a submission in memory: read once, as bytes, without following, waiting on or believing anything that lies there."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from grader.model import Message, Submission, message

MAX_BYTES = 256 * 1024

BOM = b"\xef\xbb\xbf"
UTF8_NAMES = (b"utf-8", b"utf8", b"utf-8-sig", b"ascii", b"us-ascii")
COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")  # PEP 263

KINDS = (
    (stat.S_ISLNK, message("This is a link to another file. Hand in the file itself.")),
    (
        stat.S_ISDIR,
        message("This is a folder, not a file. Name the file in it, or take the ending off the name of the folder."),
    ),
    (stat.S_ISFIFO, message("This is a named pipe, not a file. Save the program as an ordinary file.")),
)
NOT_ORDINARY = message("This is not an ordinary file. Save the program as an ordinary file.")
TOO_LARGE = message("The file is larger than {kb} KB. Hand in the program alone, without data.", kb=MAX_BYTES // 1024)


class Refused(Exception):
    """Why a file is not taken; `why` goes into the submission."""

    def __init__(self, why: Message):
        super().__init__(why.template)
        self.why = why


def read_submission(path: str | Path, slug: str | None, shown: str) -> Submission:
    """Return what lies at `path` as the submission for `slug`; `shown` is the path as messages show it.

    Never raises for what is there: `Submission.problem` says what is wrong and what to do. Takes an ordinary file with no
    second name, of at most 256 KiB of UTF-8, and drops a byte order mark.
    """
    try:
        return Submission(shown, slug, checked(read_bytes(Path(path), MAX_BYTES, TOO_LARGE), slug))
    except Refused as refused:
        return Submission(shown, slug, problem=refused.why)


def read_bytes(path: Path, most: int, too_large: Message) -> bytes:
    """Return what an ordinary file holds; raise Refused for anything else, and `too_large` beyond `most` bytes."""
    try:
        _ordinary(path.lstat())  # first, so that no device is opened to find out that it is one
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with open(os.open(path, flags), "rb") as file:
            _ordinary(os.fstat(file.fileno()))  # again: something else may have taken its place
            data = file.read(most + 1)  # not the size it claims: files of /proc claim none
    except FileNotFoundError:
        raise Refused(message("There is no such file.")) from None
    except PermissionError:
        raise Refused(message("The file may not be read. Change its permissions, or hand in a copy.")) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise Refused(message("The file could not be read ({reason}). Hand in a copy.", reason=reason)) from None
    if len(data) > most:
        raise Refused(too_large)
    return data


def _ordinary(found: os.stat_result) -> None:
    for is_kind, why in KINDS:
        if is_kind(found.st_mode):
            raise Refused(why)
    if not stat.S_ISREG(found.st_mode):
        raise Refused(NOT_ORDINARY)
    if found.st_nlink > 1:
        raise Refused(message("The file has a second name (a hard link). Hand in a copy of it."))


def checked(data: bytes, slug: str | None) -> bytes:
    """Return the Python source for `slug`: plain UTF-8, without its byte order mark. Raise Refused for anything else."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Refused(message("The file is encoded in UTF-16. Save it as UTF-8."))
    data = data.removeprefix(BOM)
    if not data.strip():
        raise Refused(
            message(
                "The file is empty. Write the function into it; `grader reset {slug}` brings the starter back.",
                slug=slug or "SLUG",
            )
        )
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Refused(message("Line {line} is not UTF-8. Save the file as UTF-8.", line=line)) from None
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise Refused(
            message("Line {line} holds a NUL character. Remove it, or save the file again as text.", line=line)
        )
    for line_text in data.splitlines()[:2]:
        cookie = COOKIE.match(line_text)
        if cookie and cookie[1].lower().replace(b"_", b"-") not in UTF8_NAMES:
            name = cookie[1].decode("ascii")
            raise Refused(
                message("The file declares the encoding {name}. Save it as UTF-8 and remove that line.", name=name)
            )
    return data
