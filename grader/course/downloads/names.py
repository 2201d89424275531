"""The name of a file or folder in a download in, the learner whom it belongs to out."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from grader.course.downloads.roster import iso_time
from grader.kinds.reports.escape import shown

GRADESCOPE, MOODLE, CLASSROOM, CANVAS, PLAIN = "gradescope", "moodle", "classroom", "canvas", "plain"

MOODLE_NAME = re.compile(r"(?P<name>.+?)_(?P<id>\d+)_assignsubmission_(?P<kind>[a-z]+)_?(?P<file>.*)", re.DOTALL)
CANVAS_NAME = re.compile(r"(?P<name>[^_]+)(?:_LATE)?_(?P<id>\d+)_(?P<upload>\d+)_(?P<file>.+\.\w+)", re.DOTALL)
TIMED = re.compile(r"(?P<name>.+)@(?P<time>\d{4}-\d\d-\d\d.*)", re.DOTALL)
CLASSROOM_FOLDER = "-submissions"
ENDINGS = (".py", ".ipynb", ".yaml", ".yml", ".zip")
UNWRITABLE = {"Cc", "Cs", "Zl", "Zp"}  # controls, bytes that are no UTF-8, line and paragraph separators


@dataclass(frozen=True)
class Named:
    """What a name tells: `group` holds files of one submission together, `file` is what the file was called before."""

    group: str
    names: tuple[str, ...]  # what the learner may be known as, the surest first
    full_name: str = ""
    file: str = ""
    submitted_at: str = ""
    came_from: str = PLAIN


def read_name(name: str, *, is_folder: bool, prefix: str = "") -> Named:
    """Return what the name of one thing in a class folder tells; `prefix` is what GitHub Classroom puts before each."""
    if found := MOODLE_NAME.fullmatch(name):
        file = "" if is_folder else found["file"]
        group = f"{found['name']}_{found['id']}"
        return Named(group, (found["id"], found["name"]), found["name"], file, came_from=MOODLE)
    if not is_folder and (found := CANVAS_NAME.fullmatch(name)):
        return Named(
            f"{found['name']}_{found['id']}", (found["id"], found["name"]), "", found["file"], came_from=CANVAS
        )
    bare = name if is_folder else _without_ending(name)
    if prefix and bare.startswith(prefix):
        return Named(name, (bare[len(prefix) :],), came_from=CLASSROOM)
    time = ""
    if (found := TIMED.fullmatch(bare)) and (read := iso_time(found["time"])):
        bare, time = found["name"], read
    return Named(name, (bare,), file="" if is_folder else name, submitted_at=time)


def classroom_prefix(folder: str, names: Collection[str]) -> str:
    """Return what GitHub Classroom put before every name in a folder, "" where it is no such folder."""
    if not folder.endswith(CLASSROOM_FOLDER) or not names:
        return ""
    prefix = folder.removesuffix(CLASSROOM_FOLDER) + "-"
    return prefix if all(name.startswith(prefix) and len(name) > len(prefix) for name in names) else ""


def _without_ending(name: str) -> str:
    return next((name[: -len(end)] for end in ENDINGS if name.lower().endswith(end) and len(name) > len(end)), name)


def masked(name: str) -> str:
    """Return a name that every list, table and database takes: the same, or shown with a digest so that it stays unique."""
    if not any(unicodedata.category(char) in UNWRITABLE for char in name):
        return name
    readable = "".join(f"\\x{ord(c) - 0xDC00:02x}" if "\udc80" <= c <= "\udcff" else shown(c) for c in name)
    return f"{readable}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
