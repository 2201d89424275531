"""A Markdown file in, its stories run and compared out: files, commands and exact outputs, as a reader sees them.

A story is a section (`## …`). A fenced block under a line such as `attention.py`: is a file. In a `console` block, a line
that begins with `$ ` is a command and the lines below it are its output, both streams together. Each story runs in an
empty folder; `cd` and `$?` carry over. With `--update-transcripts` outputs are rewritten in place.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^(`{3,})(\w*)\s*$")
NAME = re.compile(r"^`([\w./-]+)`:$")
SECONDS = 100


@dataclass(frozen=True)
class Block:
    """A fenced block: where its lines lie in the file (from 0, the fences not counted), and its text."""

    kind: str
    name: str | None  # the file that it is
    start: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Story:
    """One section of a file with its blocks, in order."""

    file: Path
    title: str
    blocks: tuple[Block, ...]

    def __str__(self) -> str:
        return f"{self.file.stem}: {self.title}"


def stories(file: Path) -> list[Story]:
    """Return the sections of `file` that have a console block."""
    found: dict[str, list[Block]] = {}
    title, name, opened, body = "", None, None, list[str]()
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines()):
        if opened:
            if line.strip() == opened[0]:
                found.setdefault(title, []).append(Block(opened[1], name, number - len(body), tuple(body)))
                name, opened = None, None
            else:
                body.append(line)
        elif fence := FENCE.match(line):
            opened, body = (fence[1], fence[2]), []
        elif line.startswith("## "):
            title, name = line[3:].strip(), None
        elif line.strip():
            named = NAME.match(line)
            name = named[1] if named else None
    assert opened is None, f"{file}: a block is not closed"
    return [Story(file, t, tuple(blocks)) for t, blocks in found.items() if any(b.kind == "console" for b in blocks)]


def environment(folder: Path) -> dict[str, str]:
    """Return what a command of a story sees: our interpreter first, a home of its own, English, a fixed width."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    shown = {"COLUMNS": "100", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "OMP_NUM_THREADS": "1"}
    return {"PATH": path, "HOME": str(folder.parent), "XDG_CACHE_HOME": str(folder.parent / "cache"), **shown}


def play(story: Story, folder: Path) -> Iterator[tuple[Block, tuple[str, ...]]]:
    """Run a story in `folder`; yield each console block with the lines that it should have."""
    where, code = folder, 0
    for block in story.blocks:
        if block.name:
            file = where / block.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        if block.kind != "console":
            continue
        lines: list[str] = []
        for command in (line[2:] for line in block.lines if line.startswith("$ ")):
            lines.append(f"$ {command}")
            if command.startswith("cd "):
                where, code = where / command[3:].strip(), 0
                continue
            ran = subprocess.run(
                ["bash", "-c", f"(exit {code}); {command}"],
                cwd=where,
                env=environment(folder),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=SECONDS,
                check=False,
            )
            code = ran.returncode
            lines.extend(shown(ran.stdout))
        yield block, tuple(lines)


def shown(output: bytes) -> list[str]:
    """Return what a command printed as lines. Which layers of isolation hold is the machine's, so they are left out: where
    the sentence is wrapped depends on them."""
    text = output.decode("utf-8", "replace").rstrip()
    text = re.sub(r"(isolation \w+ \()[^)]*(\), device \w+,)\s+", r"\1…\2 ", text)
    text = re.sub(
        r"(隔离级别 \w+（)[^）]*(）[^。]*。)", lambda found: found[1] + "…" + found[2].replace("\n", ""), text
    )
    return [line.rstrip() for line in text.split("\n")] if text else []


def check(story: Story, folder: Path, *, update: bool) -> None:
    """Run a story and compare, or with `update` write what it gives into its file."""
    folder = folder / "work"
    folder.mkdir()
    played = list(play(story, folder))
    for block, lines in played:  # no story has one, not even one that is being written
        assert "Traceback (most recent call last):" not in lines, (
            f"{story.file.name}:{block.start + 1}: a fault of ours"
        )
    if update:
        rewrite(story.file, played)
        return
    for block, lines in played:
        assert "\n".join(lines) == "\n".join(block.lines), f"{story.file.name}:{block.start + 1}"


def rewrite(file: Path, played: list[tuple[Block, tuple[str, ...]]]) -> None:
    """Put new lines in the place of the old ones; the last block first, so that the places stay right."""
    text = file.read_text(encoding="utf-8").splitlines()
    for block, lines in sorted(played, key=lambda pair: -pair[0].start):
        text[block.start : block.start + len(block.lines)] = lines
    file.write_text("\n".join(text) + "\n", encoding="utf-8")
