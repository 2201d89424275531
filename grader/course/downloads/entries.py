"""The class folder (or the zip of it) in, one `Entry` a submission out, those of one learner beside one another."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path

from grader.course.downloads.members import (
    Content,
    Member,
    collected,
    entries_of,
    file_members,
    folder_members,
    opened,
)
from grader.course.downloads.metadata import METADATA, Handed, read_metadata, read_metadata_in
from grader.course.downloads.names import (
    CLASSROOM_FOLDER,
    ENDINGS,
    GRADESCOPE,
    Named,
    classroom_prefix,
    masked,
    read_name,
)
from grader.course.downloads.roster import Person, Roster
from grader.model import message
from grader.stages.intake import Refused

LINK = message("This is a link: what it leads to was not handed in. Put the files themselves in its place.")
METADATA_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True)
class Entry:
    """One submission of one learner; `files()` reads it into memory, or raises Refused."""

    name: str  # unique in the class: what the submission is called in every list
    learner: str
    full_name: str = ""
    email: str = ""
    submitted_at: str = ""
    came_from: str = "plain"
    files: Callable[[], dict[str, Content]] = field(default=dict, compare=False)


@dataclass(frozen=True)
class Thing:
    """A file or folder at the top of a download, and what yields the files in it under the name given."""

    name: str
    is_folder: bool
    members: Callable[[str], Iterable[Member]]


@dataclass(frozen=True)
class Download:
    """What lies in a class folder: submissions, its name, what Gradescope tells of them, and the names of what is no submission."""

    things: list[Thing]
    title: str
    metadata: dict[str, Handed]
    strays: list[str]


def find_entries(path: Path, roster: Roster | None = None) -> list[Entry]:
    """Return the submissions under a folder or in a zip, sorted by learner; files are read later, one submission at a time.

    Raises Refused for a zip that cannot be opened.
    """
    found = _download(path)
    entries = list(_entries(found.things, found.title, found.metadata, roster or Roster()))
    return sorted(entries, key=lambda entry: (entry.learner, entry.submitted_at, entry.name))


def find_strays(path: Path) -> list[str]:
    """Return the names of what lies beside the submissions and is none; hidden files are nobody's. Raises like `find_entries`."""
    return [masked(name) for name in _download(path).strays]


def _download(path: Path) -> Download:
    if not path.is_dir():
        return _in_zip(path)
    folder = _inner(path)
    things = {item.name: _in_folder(item) for item in _visible(folder)}
    found, strays = [thing for thing in things.values() if thing], [name for name, thing in things.items() if not thing]
    return Download(found, folder.resolve().name, read_metadata_in(folder), strays)


def _inner(folder: Path) -> Path:
    """Return the only folder in a folder where the download lies one level deeper than it was named."""
    inside = [thing for thing in folder.iterdir() if not thing.name.startswith(".")]
    if len(inside) == 1 and inside[0].is_dir() and not inside[0].is_symlink():
        deeper = (inside[0] / METADATA).is_file() or inside[0].name.endswith(CLASSROOM_FOLDER)
        return inside[0] if deeper else folder
    return folder


def _visible(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as found:
        return sorted((i for i in found if not i.name.startswith(".") and i.name != METADATA), key=lambda i: i.name)


def _in_folder(item: os.DirEntry[str]) -> Thing | None:
    """Return what may be a submission. A link in the place of one is, so that it is told of, but nothing is read through it."""
    path = Path(item.path)
    if item.is_dir(follow_symlinks=False):
        return Thing(item.name, True, partial(_folder_as, path))
    if item.name.lower().endswith(ENDINGS):
        return Thing(item.name, False, partial(file_members, path))
    if item.is_symlink() and not os.path.isfile(path):  # noqa: PTH113 - this one raises nothing
        return Thing(item.name, True, partial(_linked, path))
    return None


def _linked(path: Path, name: str) -> Iterator[Member]:
    raise Refused(LINK)


def _folder_as(path: Path, name: str) -> Iterator[Member]:
    return folder_members(path)


def _in_zip(path: Path) -> Download:
    archive = opened(path)
    names = [info.filename for info in archive.infolist() if not info.filename.startswith(("/", "__MACOSX/", "."))]
    tops = {name.split("/", 1)[0] for name in names}
    root = f"{next(iter(tops))}/" if len(tops) == 1 and f"{next(iter(tops))}/{METADATA}" in names else ""
    metadata = {}
    if f"{root}{METADATA}" in names:
        with archive.open(f"{root}{METADATA}") as file:
            metadata = read_metadata(file.read(METADATA_BYTES))
    inside: dict[str, list[str]] = {}
    for name in names:
        if name.startswith(root) and name != f"{root}{METADATA}" and name != root:
            inside.setdefault(name[len(root) :].split("/", 1)[0], []).append(name)
    things = []
    for top, held in sorted(inside.items()):
        is_folder = any(name[len(root) :].startswith(f"{top}/") for name in held)
        if is_folder or top.lower().endswith(ENDINGS):
            things.append(Thing(top, is_folder, partial(_zipped, archive, f"{root}{top}", held, is_folder)))
    strays = sorted(inside.keys() - {thing.name for thing in things})
    return Download(things, root.rstrip("/") or path.stem, metadata, strays)


def _zipped(archive: zipfile.ZipFile, top: str, held: list[str], is_folder: bool, name: str) -> Iterator[Member]:
    """Yield the files of one submission of a class zip; a zip in it is not opened."""
    shown = {n: [n[len(top) + 1 :]] for n in held if n != f"{top}/"} if is_folder else {top: [name]}
    return entries_of(archive, shown)


def _entries(things: list[Thing], title: str, metadata: dict[str, Handed], roster: Roster) -> Iterator[Entry]:
    prefix = classroom_prefix(title, [thing.name for thing in things])
    grouped: dict[str, list[tuple[Thing, Named]]] = {}
    for thing in things:
        if thing.name in metadata:
            yield from _of_gradescope(thing, metadata[thing.name], roster)
            continue
        named = read_name(thing.name, is_folder=thing.is_folder, prefix=prefix)
        grouped.setdefault(named.group, []).append((thing, named))
    for group, parts in grouped.items():
        named = parts[0][1]
        person = roster.find(*named.names) or _person(named.names[0], named.full_name)
        files = partial(_all_of, [(thing, each.file or thing.name) for thing, each in parts])
        time = named.submitted_at or person.submitted_at
        yield Entry(masked(group), person.id, person.name, person.email, time, named.came_from, files)


def _of_gradescope(thing: Thing, handed: Handed, roster: Roster) -> Iterator[Entry]:
    """Yield one entry for each submitter: a group is graded for all of its members."""
    files = partial(_all_of, [(thing, thing.name)])
    for number, told in enumerate(handed.submitters or [{}]):
        names = tuple(told.get(key, "") for key in ("sid", "email", "name"))
        first = next((name for name in names if name), thing.name)
        person = roster.find(*names) or _person(first, told.get("name", ""), told.get("email", ""))
        name = masked(thing.name) + (f" ({number + 1})" if number else "")
        yield Entry(name, person.id, person.name, person.email, handed.submitted_at, GRADESCOPE, files)


def _person(identity: str, *told: str) -> Person:
    """Return a learner who is in no roster, under names that can be kept and shown whatever bytes a file was named with."""
    return Person(masked(identity), *(masked(text) for text in told))


def _all_of(parts: list[tuple[Thing, str]]) -> dict[str, Content]:
    return collected(chain.from_iterable(thing.members(name) for thing, name in parts))
