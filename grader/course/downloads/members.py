"""A folder or zip of one submission in, the files that could be graded out, in memory: nothing is ever extracted.

Names, sizes and contents are a learner's to choose. No declared size is believed, no link is followed, and whatever breaks a cap refuses
the submission, with a reason.
"""

from __future__ import annotations

import io
import os
import re
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from grader.model import Message, message
from grader.stages.intake import MAX_BYTES, TOO_LARGE, Refused, read_bytes
from grader.stages.notebook.reading import MAX_NOTEBOOK_BYTES
from grader.stages.notebook.reading import TOO_LARGE as NOTEBOOK_TOO_LARGE

MAX_ZIP_BYTES = 8 * 1024 * 1024
MAX_TOTAL_BYTES = 16 * 1024 * 1024
MAX_FILES = 1000
MAX_DEPTH = 12

SHEETS = (".yaml", ".yml")
NOTEBOOK = ".ipynb"
GRADED = (".py", NOTEBOOK, *SHEETS)
SKIPPED = {"__pycache__", "__MACOSX", "node_modules", "site-packages"}  # and whatever begins with a dot
CENTRAL = b"PK\x01\x02"  # what each entry of a zip's directory begins with

ZIP_TOO_LARGE = message(
    "The zip is larger than {mb} MB. Hand in the programs alone, without data.", mb=MAX_ZIP_BYTES // 1024**2
)
TOO_MANY = message("There are more than {most} files in it. Hand in the programs alone.", most=MAX_FILES)
TOO_MUCH = message(
    "Unpacked it is larger than {mb} MB. Hand in the programs alone, without data.", mb=MAX_TOTAL_BYTES // 1024**2
)
BROKEN = message("The zip cannot be read; it may be cut off or damaged. Make it again.")

Content = bytes | Message
"""What a file holds, or why it is not taken."""

Member = tuple[str, Callable[[], bytes]]
"""The name of a file inside the submission, and what reads it or raises Refused."""


def graded_name(name: str) -> bool:
    """Whether a file of this name could be graded, judged by its parts."""
    parts = PurePosixPath(name).parts
    return name.lower().endswith(GRADED) and not any(part.startswith(".") or part in SKIPPED for part in parts)


def collected(members: Iterable[Member]) -> dict[str, Content]:
    """Return the files by name; raise Refused when there are too many of them, or too much in them."""
    found: dict[str, Content] = {}
    total = 0
    for name, read in members:
        if len(found) >= MAX_FILES:
            raise Refused(TOO_MANY)
        try:
            data = read()
        except Refused as refused:
            found[name] = refused.why
            continue
        total += len(data)
        if total > MAX_TOTAL_BYTES:
            raise Refused(TOO_MUCH)
        found[name] = data
    return found


def most_of(name: str) -> tuple[int, Message]:
    """Return how many bytes a file of this name may have, and what is said beyond."""
    notebook = name.lower().endswith(NOTEBOOK)
    return (MAX_NOTEBOOK_BYTES, NOTEBOOK_TOO_LARGE) if notebook else (MAX_BYTES, TOO_LARGE)


# ---------------------------------------------------------------- folders and single files


def file_members(path: Path, name: str) -> Iterator[Member]:
    """Yield a single file under `name`, or what is in it when it is a zip."""
    if name.lower().endswith(".zip"):
        yield from zip_members(read_bytes(path, MAX_ZIP_BYTES, ZIP_TOO_LARGE))
    elif graded_name(name):
        yield name, lambda: read_bytes(path, *most_of(name))


def folder_members(folder: Path) -> Iterator[Member]:
    """Yield the files under a folder, zips in it opened; links to folders and hidden folders are not entered."""
    seen = 0
    for where, folders, files in os.walk(folder):
        here = PurePosixPath(Path(where).relative_to(folder).as_posix())
        odd = [name for name in folders if name.lower().endswith(GRADED)]  # a folder called x.py has to be named
        folders[:] = sorted(n for n in folders if not n.startswith(".") and n not in SKIPPED and n not in odd)
        if len(here.parts) >= MAX_DEPTH:
            folders[:] = []
        seen += len(files) + len(folders)
        if seen > 20 * MAX_FILES:
            raise Refused(TOO_MANY)
        for name in sorted((*files, *odd)):
            shown = (here / name).as_posix()
            yield from _of_folder(Path(where, name), shown)


def _of_folder(path: Path, shown: str) -> Iterator[Member]:
    if not shown.lower().endswith(".zip"):
        yield from file_members(path, shown)
        return
    try:
        members = list(file_members(path, shown))
    except Refused as refused:
        why = refused.why
        yield shown, lambda: _refuse(why)
        return
    yield from ((f"{shown}/{name}", read) for name, read in members)


def _refuse(why: Message) -> bytes:
    raise Refused(why)


# ---------------------------------------------------------------- zips


def zip_members(data: bytes) -> Iterator[Member]:
    """Yield the files in a zip; raise Refused for one that is broken, encrypted, or made to do harm."""
    if data.count(CENTRAL) > 20 * MAX_FILES:
        raise Refused(
            TOO_MANY
        )  # before the directory is read: each entry costs far more memory than it takes in the zip
    archive = opened(io.BytesIO(data))
    yield from entries_of(archive, {info.filename: [info.filename] for info in archive.infolist()})


def opened(file: io.BytesIO | Path) -> zipfile.ZipFile:
    """Return a zip file, its directory read; raise Refused where that fails, in whatever way."""
    try:
        return zipfile.ZipFile(file)
    except (
        Exception
    ) as error:  # struct.error, ValueError, OverflowError, NotImplementedError and more, for what is no zip
        raise Refused(BROKEN) from error


def entries_of(archive: zipfile.ZipFile, names: Mapping[str, list[str]]) -> Iterator[Member]:
    """Yield those files of a zip that are named, under their new names; raise Refused for one that is made to do harm."""
    seen: set[str] = set()
    for info in archive.infolist():
        for name in names.get(info.filename, ()):
            _check(info, name, seen)
            if not info.is_dir() and graded_name(name):
                yield name, _reader(archive, info, name)


def _check(info: zipfile.ZipInfo, name: str, seen: set[str]) -> None:
    parts = name.rstrip("/").split("/")
    if "\\" in info.orig_filename or re.match(r"/|[A-Za-z]:", name) or any(p in ("", ".", "..") for p in parts):
        raise Refused(message("The zip has a file name that leads out of it: {name}", name=repr(name[:80])))
    if any(ord(char) < 32 for char in info.orig_filename):
        raise Refused(message("The zip has a file name with control characters: {name}", name=repr(name[:80])))
    if info.flag_bits & 0x1:
        raise Refused(message("The zip is encrypted. Make it again without a password."))
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise Refused(message("The zip has a link or special file in it: {name}", name=repr(name[:80])))
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise Refused(message("The zip is packed in an unusual way. Make it again with the usual settings."))
    if name in seen:
        raise Refused(message("The zip has two files of the same name: {name}", name=repr(name[:80])))
    seen.add(name)


def _reader(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> Callable[[], bytes]:
    def read() -> bytes:
        most, too_large = most_of(name)
        try:
            with archive.open(info) as file:
                data = file.read(most + 1)  # not the size it declares
        except Exception as error:  # a CRC that is wrong, a stream that ends early, a local header that lies
            raise Refused(BROKEN) from error
        if len(data) > most:
            raise Refused(too_large)
        return data

    return read
