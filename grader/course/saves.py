"""A folder in, the files that were saved in it out, as they are saved: by the system's own notices, or by looking again and again."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

SUFFIXES = (".py", ".yaml", ".yml", ".ipynb")
POLL_SECONDS = 0.2


def saves(root: Path, stop: threading.Event, *, poll: bool = False) -> Iterator[Path]:
    """Yield each file of the folder that is saved, until `stop` is set. Without watchfiles, or with `poll`, it looks again and again."""
    try:
        if poll:
            raise ImportError
        import watchfiles
    except ImportError:
        yield from _polled(root, stop)
        return
    for changes in watchfiles.watch(
        root, stop_event=stop, step=20, debounce=60, recursive=False, raise_interrupt=False
    ):
        paths = sorted({Path(path) for change, path in changes if change is not watchfiles.Change.deleted})
        yield from (path for path in paths if _counts(path))


def _polled(root: Path, stop: threading.Event) -> Iterator[Path]:
    known = _stamps(root)
    while not stop.wait(POLL_SECONDS):
        now = _stamps(root)
        yield from (path for path, stamp in sorted(now.items()) if known.get(path) != stamp)
        known = now


def _stamps(root: Path) -> Mapping[Path, tuple[int, int]]:
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
