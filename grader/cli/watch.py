"""`grader watch`: grades a file of the workspace whenever it is saved, with the process that runs it kept warm."""

from __future__ import annotations

import contextlib
import queue
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import click

from grader.cli.check import DEVICES, LEVELS
from grader.cli.opening import course_folder
from grader.cli.options import FOLDER, course_option, lang_option, told
from grader.course.find import preload_of
from grader.model import message

Event = tuple[str, object]
"""("save", path), ("key", character) or ("failed", exception)."""


@click.command(help=told(message("Grade each file in DIR when it is saved.")))
@click.argument("root", metavar="[DIR]", type=FOLDER, default=".")
@click.option("--device", type=click.Choice(DEVICES), default="cpu", help=told(message("Where the tensors live.")))
@click.option("--isolation", type=click.Choice(LEVELS), default="best", help=told(message("What holds your code.")))
@click.option("--poll", is_flag=True, help=told(message("Look for changes again and again: for network folders.")))
@course_option
@lang_option
def watch(root: Path, device: str, isolation: str, poll: bool, course: Path | None, lang: str) -> None:
    from grader.cli.check import usable
    from grader.cli.stop import Stop

    if not root.is_dir():
        raise Stop(message("{path} is not there.", path=root), lang)
    folder = course_folder(course, lang)
    device = usable(device, lang)
    from grader.stages.sandbox import open_sandbox

    with open_sandbox(isolation, preload=preload_of(folder), device=device, warm=True) as sandbox:
        from grader.cli.watching import Watched, Watching

        watched = Watched(folder, root, device, isolation, lang, sandbox)
        events: queue.Queue[Event] = queue.Queue()
        with listening(events, root, poll) as interactive:
            Watching(watched, events, root, lang, interactive).run()


@contextlib.contextmanager
def listening(events: queue.Queue[Event], root: Path, poll: bool) -> Iterator[bool]:
    """Put saves and keys into `events`; yield whether there are keys, that is whether a person sits at a terminal."""
    from grader.course.saves import saves

    stop = threading.Event()

    saved = saves(root, stop, poll=poll)

    def hear_saves() -> None:
        try:
            for path in saved:
                events.put(("save", path))
        except Exception as error:
            events.put(("failed", error))

    threading.Thread(target=hear_saves, daemon=True).start()
    interactive = sys.stdin.isatty() and sys.stdout.isatty()
    with contextlib.ExitStack() as stack:
        stack.callback(stop.set)
        if interactive:
            stack.enter_context(_single_keys())
            threading.Thread(target=_hear_keys, args=(events,), daemon=True).start()
        yield interactive


@contextlib.contextmanager
def _single_keys() -> Iterator[None]:
    """Let keys arrive at once and unseen while this lasts; where the system cannot, they come after Enter."""
    try:
        import termios
        import tty
    except ImportError:
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _hear_keys(events: queue.Queue[Event]) -> None:
    while character := sys.stdin.read(1):
        events.put(("key", character))
