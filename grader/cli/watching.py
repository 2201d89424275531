"""Events in, screens out: what `grader watch` does when a file is saved, a key is pressed or a run ends."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import click

from grader.cli import grading, output
from grader.cli.learner import list_of, next_hint
from grader.cli.onward import pointing
from grader.cli.opening import filled
from grader.cli.stop import Stop
from grader.cli.targets import Finder
from grader.course.lazily import open_course_lazily
from grader.kinds.reports import REPORTS, ReportStyle
from grader.locale import say
from grader.model import Message, Report, message
from grader.stages.report import next_in_course
from grader.stages.sandbox import Sandbox
from grader.stages.spec import read_answers

KEYS: dict[str, Message] = {
    "h": message("hint"),
    "n": message("next"),
    "l": message("list"),
    "r": message("report"),
    "q": message("quit"),
}


class Cancelled(Exception):
    """A later save made this run pointless."""


@dataclass(frozen=True)
class Done:
    """The end of a run: its report, or what there is to say instead."""

    number: int
    report: Report | None
    said: str = ""


class Graded(Protocol):
    """What `Watching` asks for: `Watched`, or a stand-in in tests."""

    def slug(self, path: Path) -> str | None: ...

    def report(self, path: Path, wanted: Callable[[], bool]) -> Report: ...

    def cancel(self) -> None: ...

    def text(self, report: Report) -> str: ...

    def answer(self, key: str, last: Path | None, report: Report | None) -> str: ...


@dataclass
class Watching:
    """What is on the screen and which run is under way. The one place where state changes while watching."""

    graded: Graded
    events: queue.Queue[tuple[str, object]]
    root: Path
    lang: str
    interactive: bool
    run_number: int = 0
    last: Path | None = None
    report: Report | None = None

    def run(self) -> None:
        """Show what happens until `q` is pressed or the terminal is left."""
        self.show(say(message("Watching {root}. Save a file to have it graded.", root=self.root), self.lang))
        with contextlib.suppress(KeyboardInterrupt):
            while self.handle(*self.events.get()):
                pass
        self.run_number += 1
        self.graded.cancel()

    def handle(self, kind: str, content: object) -> bool:
        """Do what one event asks for; return False when it is time to leave."""
        if kind == "save":
            assert isinstance(content, Path)
            self.start(content)
        elif kind == "done":
            assert isinstance(content, Done)
            if content.number == self.run_number:  # an earlier one was cancelled by a later save
                self.report = content.report
                self.show(content.said if content.report is None else self.graded.text(content.report))
        elif kind == "failed":
            assert isinstance(content, Exception)
            raise content
        elif kind == "key":
            return self.press(str(content))
        return True

    def start(self, path: Path) -> None:
        """Grade a file in the background; a run that is under way is cancelled."""
        if self.graded.slug(path) is None:
            return
        self.run_number += 1  # from here on the run that is under way is not wanted any more
        self.graded.cancel()
        self.last = path
        threading.Thread(target=self._grade, args=(self.run_number, path), daemon=True).start()

    def _grade(self, number: int, path: Path) -> None:
        try:
            report = self.graded.report(path, lambda: number == self.run_number)
            self.events.put(("done", Done(number, report)))
        except Cancelled:
            return
        except Stop as stop:
            self.events.put(("done", Done(number, None, stop.format_message())))
        except Exception as error:
            self.events.put(("failed", error))

    def press(self, key: str) -> bool:
        """Answer a key; return False for the one that ends."""
        if key == "q":
            return False
        if key in KEYS:
            self.show(self.graded.answer(key, self.last, self.report))
        return True

    def show(self, text: str) -> None:
        """Put `text` on a cleared screen with the keys below; on a pipe just print it."""
        if self.interactive:
            click.clear()
        click.echo(text.rstrip("\n"))
        if self.interactive:
            keys = "  ".join(f"{click.style(key, bold=True)} {say(name, self.lang)}" for key, name in KEYS.items())
            click.echo("\n" + keys)


class Watched:
    """A workspace under watch: its course, loaded once, and the sandbox, kept warm."""

    def __init__(self, folder: Path, root: Path, device: str, level: str, lang: str, sandbox: Sandbox):
        self.course = filled(open_course_lazily(folder), lang)
        self.order = grading.Order(folder, (root,), None, 0, device, level, lang)
        self.lang, self.root, self.sandbox = lang, root, sandbox
        self.finder = Finder(self.course, None, read_answers, lang)
        self.turn = threading.Lock()

    def slug(self, path: Path) -> str | None:
        """Return which exercise or quiz a file is, None for a file that is none of the course."""
        return self.finder.slug(path)

    def report(self, path: Path, wanted: Callable[[], bool]) -> Report:
        """Grade a file; raise Cancelled where `wanted` no longer holds once it is this run's turn."""
        with self.turn:
            if not wanted():
                raise Cancelled
            report = grading.report_of(self.course, self.finder.targets([path]), self.order, self.sandbox)
            if not wanted():
                raise Cancelled
            grading.remember(report.results)
            return report

    def cancel(self) -> None:
        """End the run that is under way."""
        self.sandbox.cancel()

    def text(self, report: Report) -> str:
        """Return a report as it is shown."""
        return REPORTS["text"](report, ReportStyle(self.lang, output.colored(), output.width()))

    def answer(self, key: str, last: Path | None, report: Report | None) -> str:
        """Return what is shown for a key."""
        if key == "l":
            return list_of(self.course, self.root, self.lang)
        slug = self.slug(last) if last is not None else None
        if slug is None or report is None:
            return say(message("Save a file first."), self.lang)
        if key == "n":
            return say(pointing(next_in_course(self.course, slug)), self.lang)
        if key == "h":
            try:
                return next_hint(self.course, slug, self.root, self.lang)
            except Stop as stop:
                return stop.format_message()
        page = self.root / f"{slug}.html"
        output.write(page, REPORTS["html"](report, ReportStyle(self.lang)))
        return say(message("The report lies in {file}.", file=page), self.lang)
