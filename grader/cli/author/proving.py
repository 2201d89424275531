"""`grader author verify --watch`: saves in, proofs out, until the terminal is left."""

from __future__ import annotations

import contextlib
import queue
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from grader.author.proving import Prover
from grader.cli.author.verify import summary, told_item
from grader.course.find import COURSE_FILE
from grader.course.folder import FOLDERS
from grader.course.saves import saves
from grader.locale import say
from grader.model import AuthorError, message
from grader.stages.expect import FOLDER

SETTLE = 0.15  # seconds after a save in which others belong to it: an editor may save several files at once


def watch(root: Path, slugs: tuple[str, ...], cache: Path | None, lang: str) -> None:
    """Prove the items named at once, then whatever is saved."""
    sys.dont_write_bytecode = True  # two saves within a second may look alike to what is kept of compiled files
    watcher = Watcher(root, slugs, cache, lang)
    told = message(
        "Watching {root}. Save an exercise, a quiz or the reference to have it proven; Ctrl-C ends.", root=root
    )
    click.echo(say(told, lang))
    with contextlib.suppress(KeyboardInterrupt):
        watcher.prove(slugs)
        for paths in saved_together(root):
            watcher.saved(paths)


class Watcher:
    """What is watched: the items named, and the one that was saved last."""

    def __init__(self, root: Path, slugs: tuple[str, ...], cache: Path | None, lang: str):
        self.root, self.named, self.cache, self.lang = root.resolve(), slugs, cache, lang
        self.last: tuple[str, ...] = slugs

    def saved(self, paths: Iterable[Path]) -> None:
        """Prove what was saved; where that was the reference or the course, what was named, what it is of, or what came last."""
        try:
            files = {path.resolve(): slug for slug, path in Prover(self.root).files.items()}
        except AuthorError as error:
            click.echo("\n".join(error.problems))
            return
        items = [files[path.resolve()] for path in paths if path.resolve() in files]
        shared = [path.stem for path in paths if path.resolve().parent.name not in FOLDERS]
        if shared:
            own = [slug for slug in files.values() if f"exercise_{slug}" in shared]
            items += self.named or own or self.last
        wanted = tuple(dict.fromkeys(slug for slug in items if not self.named or slug in self.named))
        if shared and not wanted:
            click.echo(say(message("Save an exercise or quiz: then the reference is tried with it."), self.lang))
        self.last = wanted or self.last
        self.prove(wanted)

    def prove(self, slugs: Iterable[str]) -> None:
        """Prove items and say how they stand."""
        try:
            prover = Prover(self.root, self.cache)
            found = [told_item(prover, slug, self.lang) for slug in slugs]
        except AuthorError as error:  # of the reference, or of course.yaml
            click.echo("\n".join(error.problems))
            return
        if found:
            click.echo("\n".join(summary(found, self.lang)))


def saved_together(
    root: Path, *, poll: bool = False, stop: threading.Event | None = None
) -> Iterator[tuple[Path, ...]]:
    """Yield the files of the course that were saved, those of one moment together, until `stop` is set."""
    heard: queue.Queue[Path] = queue.Queue()
    ended = stop or threading.Event()

    def hear(folder: Path) -> None:
        for path in saves(folder, ended, poll=poll):
            if folder != root or path.name == COURSE_FILE:
                heard.put(path)

    for folder in (root, *(root / name for name in (*FOLDERS, FOLDER))):
        if folder.is_dir():
            threading.Thread(target=hear, args=(folder,), daemon=True).start()
    try:
        while not ended.is_set():
            with contextlib.suppress(queue.Empty):
                yield tuple(dict.fromkeys(_batch(heard)))
    finally:
        ended.set()


def _batch(heard: queue.Queue[Path]) -> Iterator[Path]:
    """Yield the next path and those that follow at once; raise queue.Empty where none comes soon."""
    yield heard.get(timeout=0.5)
    with contextlib.suppress(queue.Empty):
        while True:
            yield heard.get(timeout=SETTLE)
