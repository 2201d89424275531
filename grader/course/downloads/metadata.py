"""Gradescope's `submission_metadata.yml` in, who handed in which folder and when out.

Its authors wrote it, but names in it are learners' own, and it grows with the class: it is read as a stream of events, of which only
submitters and times are kept. Nothing is built or resolved, apart from texts that the file repeats by reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from grader.course.downloads.roster import iso_time

METADATA = "submission_metadata.yml"
MOST_SUBMITTERS = 50


@dataclass
class Handed:
    """What the file says of one folder."""

    submitters: list[dict[str, str]] = field(default_factory=list)
    submitted_at: str = ""


def read_metadata(text: str | bytes) -> dict[str, Handed]:
    """Return what the file says by folder name; where it breaks off, what stands before that."""
    found: dict[str, Handed] = {}
    try:
        for path, value in _scalars(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))):
            _keep(found, path, value)
    except yaml.YAMLError:
        pass
    return found


def read_metadata_in(folder: Path) -> dict[str, Handed]:
    """Return what the file in `folder` says, nothing where there is none."""
    path = folder / METADATA
    return read_metadata(path.read_bytes()) if path.is_file() and not path.is_symlink() else {}


def _keep(found: dict[str, Handed], path: tuple[Any, ...], value: str) -> None:
    name = str(path[0]) if path else ""
    match [str(step).lstrip(":") if isinstance(step, str) else step for step in path[1:]]:
        case ["created_at"]:
            found.setdefault(name, Handed()).submitted_at = iso_time(value) or ""
        case ["submitters", int(number), ("name" | "sid" | "email") as key] if number < MOST_SUBMITTERS:
            submitters = found.setdefault(name, Handed()).submitters
            while len(submitters) <= number:
                submitters.append({})
            submitters[number][key] = value


def _scalars(events: Iterator[Any]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Yield each scalar of a document with the keys and list positions that lead to it."""
    path: list[Any] = []  # for each open collection: the key or position of the value that comes next
    open_: list[bool] = []  # whether it is a mapping
    awaits_key: list[bool] = []
    texts: dict[str, str] = {}

    def done() -> None:
        if open_:
            if open_[-1]:
                awaits_key[-1] = True
            else:
                path[-1] += 1

    for event in events:
        if isinstance(event, (yaml.ScalarEvent, yaml.AliasEvent)):
            anchor = event.anchor or ""
            value = event.value if isinstance(event, yaml.ScalarEvent) else texts.get(anchor, "")
            if anchor:
                texts[anchor] = value
            if open_ and open_[-1] and awaits_key[-1]:
                path[-1], awaits_key[-1] = value, False
                continue
            yield tuple(path), value
            done()
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            mapping = isinstance(event, yaml.MappingStartEvent)
            if open_ and open_[-1] and awaits_key[-1]:
                awaits_key[-1] = False  # a collection as a key: nothing that is looked for
                path[-1] = ""
            open_.append(mapping)
            awaits_key.append(mapping)
            path.append("" if mapping else 0)
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            open_.pop()
            awaits_key.pop()
            path.pop()
            done()
