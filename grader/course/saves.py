"""A folder in, the files that were saved in it out, as they are saved: by the system's own notices, or by looking again and again."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

SUFFIXES = (".py", ".yaml", ".yml", ".ipynb")
POLL_SECONDS = 0.2

Stamps = Mapping[Path, tuple[int, int]]


def saves(root: Path, stop: threading.Event, *, poll: bool = False) -> Iterator[Path]:
    """Return the files of the folder as they are saved from now on, until `stop` is set.

    Without watchfiles, or with `poll`, it looks again and again.
    """
    known = _stamps(root)
    try:
        import watchfiles
    except ImportError:
        poll = True
    return _polled(root, stop, known) if poll else _noticed(root, stop, known, watchfiles)


def _noticed(root: Path, stop: threading.Event, known: Stamps, watchfiles: Any) -> Iterator[Path]:
    """Yield what the system tells. What was saved before it began to listen is found by looking once."""
    looked = False
    for changes in watchfiles.watch(
        root, stop_event=stop, step=20, debounce=60, recursive=False, rust_timeout=200, yield_on_timeout=True
    ):
        if not looked:
            looked = True
            yield from _changed(known, _stamps(root))
            continue
        paths = sorted({Path(path) for change, path in changes if change is not watchfiles.Change.deleted})
        yield from (path for path in paths if _counts(path))


def _polled(root: Path, stop: threading.Event, known: Stamps) -> Iterator[Path]:
    while not stop.wait(POLL_SECONDS):
        now = _stamps(root)
        yield from _changed(known, now)
        known = now


def _changed(before: Stamps, after: Stamps) -> Iterator[Path]:
    return (path for path, stamp in sorted(after.items()) if before.get(path) != stamp)


def _stamps(root: Path) -> Stamps:
    """Modification time and size of each file that counts; one that vanishes meanwhile does not."""
    found = {}
    for path in root.iterdir():
        try:
            stat = path.stat()
        except OSError:
            continue
        if _counts(path):
            found[path] = (stat.st_mtime_ns, stat.st_size)
    return found


def _counts(path: Path) -> bool:
    return path.suffix in SUFFIXES and not path.name.startswith((".", "~")) and path.is_file()
