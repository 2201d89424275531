"""A path or bytes in, text out, or the one problem that keeps it from being read."""

from __future__ import annotations

import codecs
import os
import re
import stat
from pathlib import Path

from grader.model import Message, message
from grader.stages.spec.reader import CAPS, Caps
from grader.stages.spec.source import Problem, author_error

FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


FILE_NAME = re.compile(r"[0-9]{2,3}_([a-z][a-z0-9_]*)\.yaml")


def check_file_name(path: Path) -> str | list[Problem]:
    """Return the slug in a file name `NN_slug.yaml`, or the problem with the name."""
    found = FILE_NAME.fullmatch(path.name)
    what = message("the file's name is not of the form `NN_slug.yaml`, such as `03_causal_mask.yaml`")
    return found[1] if found else [Problem((1, 1), (), what)]


def bytes_of(path: Path, caps: Caps = CAPS, *, follow: bool = True) -> bytes | Message:
    """Return what an ordinary file holds, or why it cannot be read; never wait on a FIFO, never read more than the cap.

    With `follow=False` a symbolic link is refused: a learner's link could point at a file that is not theirs.
    """
    try:
        if not follow and path.is_symlink():
            return message("a symbolic link is not read: put the file itself here")
        if path.is_dir():  # Windows cannot open a folder
            return message("this is a folder, not a file")
        handle = os.open(path, FLAGS | (0 if follow else getattr(os, "O_NOFOLLOW", 0)))
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return message("this is not an ordinary file")
            data = file.read(caps.size + 1)
    except FileNotFoundError:
        nowhere = message("this is a link that leads nowhere")
        return nowhere if path.is_symlink() else message("there is no such file")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        return message("the file cannot be read: {reason}", reason=getattr(error, "strerror", None) or str(error))
    if len(data) > caps.size:
        return message("the file is larger than {size} KB", size=caps.size // 1024)
    return data


def text_of(data: bytes) -> str | Problem:
    """Return UTF-8 bytes as text, or the problem with the first byte that is none."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return Problem((1, 1), (), message("the file is UTF-16: save it as UTF-8"))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        place = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
        what = message("the byte {byte} is not UTF-8: save the file as UTF-8", byte=f"0x{data[error.start]:02X}")
        return Problem(place, (), what)


def read_text(path: Path, shown: str, caps: Caps = CAPS) -> str:
    """Return the text of a course file; raise AuthorError where it cannot be read."""
    data = bytes_of(path, caps)
    text = Problem((1, 1), (), data) if isinstance(data, Message) else text_of(data)
    if isinstance(text, Problem):
        raise author_error(shown, [text])
    return text
