"""Hostile files are refused at once, with a message; honest ones are taken as they are."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.locale import say
from grader.model import Submission
from grader.stages.intake import MAX_BYTES, read_submission

TEXT = b"def f(x):\n    return x\n"


def taken(path: Path) -> Submission:
    return read_submission(path, "f", "as/written.py")


def problem(path: Path) -> str:
    found = taken(path)
    assert found.source == b""
    assert found.problem is not None
    return found.problem.template.format_map(found.problem.fields)


def test_an_ordinary_file_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_bytes(TEXT + "# 注意力 🙂\r\n".encode())
    assert taken(path) == Submission("as/written.py", "f", TEXT + "# 注意力 🙂\r\n".encode())


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT)
    assert taken(path).source == TEXT


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b" \n\t\n"])
def test_an_empty_file_is_said_to_be_empty(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "f.py"
    path.write_bytes(content)
    problem = taken(path).problem
    assert problem is not None
    assert "empty" in say(problem, "en")
    assert "`grader reset f`" in say(problem, "en")
    assert "`grader reset f`" in say(problem, "zh")


@pytest.mark.parametrize(
    "first", [b"# -*- coding: utf-8 -*-\n", b"# vim: set fileencoding=UTF_8 :\n", b"#!x\n# coding=ascii\n"]
)
def test_a_declaration_of_utf8_is_fine(tmp_path: Path, first: bytes) -> None:
    path = tmp_path / "f.py"
    path.write_bytes(first + TEXT)
    assert taken(path).source == first + TEXT


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (TEXT.decode().encode("utf-16"), "UTF-16"),
        (TEXT + b"# caf\xe9\n", "Line 3 is not UTF-8"),
        (b"a = 1\n\0", "Line 2 holds a NUL"),
        (b"# coding: latin-1\n" + TEXT, "encoding latin-1"),
        (b"\n# -*- coding: utf_7 -*-\n" + TEXT, "encoding utf_7"),
        (b"#" * (MAX_BYTES + 1), "larger than 256 KB"),
    ],
)
def test_other_bytes_are_refused_with_a_remedy(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "f.py"
    path.write_bytes(data)
    assert said in problem(path)


def test_the_largest_file_is_still_taken(tmp_path: Path) -> None:
    path = tmp_path / "f.py"
    path.write_bytes(b"#" * MAX_BYTES)
    assert len(taken(path).source) == MAX_BYTES


def link(path: Path) -> None:
    path.with_name("target.py").write_bytes(TEXT)
    path.symlink_to("target.py")


def hard_link(path: Path) -> None:
    path.with_name("target.py").write_bytes(TEXT)
    path.hardlink_to(path.with_name("target.py"))


def unix_socket(path: Path) -> None:
    os.chdir(path.parent)  # a socket's path has to be short
    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(path.name)


def giant(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (link, "link to another file"),
        (hard_link, "second name"),
        (Path.mkdir, "folder"),
        (os.mkfifo, "named pipe"),
        (unix_socket, "not an ordinary file"),
        (giant, "larger than"),
        (lambda path: None, "no such file"),
    ],
)
def test_what_is_no_ordinary_file_is_refused_without_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "f.py")
    assert said in problem(tmp_path / "f.py")


@pytest.mark.parametrize("special", ["/dev/zero", "/dev/null", "/proc/self/mem", "/proc/self/environ"])
def test_special_files_are_refused_or_read_within_the_cap(special: str) -> None:
    if not Path(special).exists():
        pytest.skip(f"no {special} here")
    found = taken(Path(special))
    assert found.problem is not None or len(found.source) <= MAX_BYTES
    assert (found.problem is None) == (special == "/proc/self/environ" and b"\0" not in Path(special).read_bytes())
