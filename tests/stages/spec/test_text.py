"""Files that cannot be read: each has its own sentence, and none makes the reader wait."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.model import AuthorError
from grader.stages.spec import Caps
from grader.stages.spec.text import read_text


def fault(path: Path, caps: Caps | None = None) -> str:
    with pytest.raises(AuthorError) as caught:
        read_text(path, "f.yaml", caps or Caps())
    [problem] = caught.value.problems
    return problem


def test_utf_8_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes("a: 因果\n".encode())
    assert read_text(path, "x.yaml") == "a: 因果\n"


def test_a_missing_file_is_called_missing(tmp_path: Path) -> None:
    assert fault(tmp_path / "x.yaml") == "f.yaml:1:1: there is no such file"


def test_a_folder_is_called_a_folder(tmp_path: Path) -> None:
    assert fault(tmp_path) == "f.yaml:1:1: this is a folder, not a file"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_a_fifo_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.yaml")
    assert fault(tmp_path / "x.yaml") == "f.yaml:1:1: this is not an ordinary file"


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_bytes(b"#" * 3000)
    assert fault(tmp_path / "x.yaml", Caps(size=2048)) == "f.yaml:1:1: the file is larger than 2 KB"


def test_a_path_that_cannot_be_opened_says_why(tmp_path: Path) -> None:
    assert fault(tmp_path / ("x" * 300)).startswith("f.yaml:1:1: the file cannot be read: ")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a: 1\nb: \xe5\x9b\xa0\xff\n", "2:5: the byte 0xFF is not UTF-8: save the file as UTF-8"),
        ("a: 1".encode("utf-16"), "1:1: the file is UTF-16: save it as UTF-8"),
    ],
)
def test_another_encoding_is_named_at_its_place(tmp_path: Path, data: bytes, expected: str) -> None:
    (tmp_path / "x.yaml").write_bytes(data)
    assert fault(tmp_path / "x.yaml") == f"f.yaml:{expected}"
