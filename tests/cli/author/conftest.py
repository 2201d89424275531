"""A course that `author new` made, and commands run in a copy of it with a cache of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli import cli

Run = Callable[..., Result]


def call(*arguments: str, code: int = 0) -> Result:
    """Run a command; its exit code has to be the one that is expected."""
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with one exercise and one quiz, as the commands leave it."""
    root = tmp_path_factory.mktemp("begun") / "norms"
    call("author", "new", "course", str(root), "--title-en", "Norms", "--title-zh", "归一化")
    in_it = ("--course", str(root))
    titles = ("--title-en", "Twice the sum", "--title-zh", "和的两倍")
    call("author", "new", "exercise", "twice_the_sum", *titles, "--signature", "twice_the_sum(x, y, mask=None)", *in_it)
    call("author", "new", "quiz", "warm_up", "--title-en", "Warm-up", "--title-zh", "热身", *in_it)
    return root


@pytest.fixture
def course(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, as the current folder."""
    root = tmp_path / "norms"
    shutil.copytree(begun, root, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(root)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("grader.author.verify.SEEDS", 3)  # 200 of them are a second of each proof
    return root


@pytest.fixture
def run(course: Path) -> Run:
    """Run `grader author …` in the course."""
    return lambda *arguments, code=0: call("author", *arguments, code=code)


@pytest.fixture
def edit(course: Path) -> Callable[[str, str, str], None]:
    """Replace a text in a file of the course, which has to be there."""

    def change(name: str, old: str, new: str) -> None:
        path = course / name
        text = path.read_text(encoding="utf-8")
        assert old in text, text
        path.write_text(text.replace(old, new), encoding="utf-8")

    return change
