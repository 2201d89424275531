"""What is printed to type next works when it is typed, whichever way the course was named."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.cli import cli

PRINTED = re.compile(r"grader (?:show|hint|quiz|check) [\w.]+(?: --course [^\s`]+)?(?: \d)?")
Next = Callable[..., list[str]]


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a course in a folder, with an exercise and a quiz of its own."""
    folder = tmp_path_factory.mktemp("own") / "course"
    for arguments in (
        ["course", str(folder)],
        ["exercise", "doubled", "--signature", "doubled(x)", "--course", str(folder)],
        ["quiz", "warm_up", "--course", str(folder)],
    ):
        made = CliRunner().invoke(cli, ["author", "new", *arguments])
        assert made.exit_code == 0, made.output
    return folder


@pytest.fixture
def following(own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Next:
    """Return what runs a command in a workspace of that course, and gives the commands that it prints."""
    monkeypatch.chdir(tmp_path)
    started = CliRunner().invoke(cli, ["start", "work", "--course", "../" + str(own.relative_to(tmp_path.parent))])
    assert started.exit_code == 0, started.output
    monkeypatch.chdir(tmp_path / "work")

    def call(*arguments: str) -> list[str]:
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code in (0, 1), result.output
        return PRINTED.findall(" ".join(result.output.split()))

    return call


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    "command",
    ["list", "show doubled", "show warm_up", "hint doubled", "check .", "check warm_up.yaml"],
)
def test_what_is_printed_names_the_course_that_was_named(own: Path, following: Next, command: str, lang: str) -> None:
    isolation = ["--isolation", "none"] if command.startswith("check") else []
    course = os.path.relpath(own)
    for _ in range(3 if command.startswith("hint") else 1):  # the last hint says how to see the first one again
        printed = following(*command.split(), "--lang", lang, "--course", course, *isolation)
    assert printed
    for line in printed:
        assert f"--course {course}" in line
        if not line.startswith(("grader quiz", "grader check")):  # one asks, the other is slow
            following(*shlex.split(line)[1:])


def test_the_first_command_is_run_in_another_folder(tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(own.parent)
    (line,) = PRINTED.findall(CliRunner().invoke(cli, ["start", str(tmp_path / "work"), "--course", "course"]).output)
    assert line == f"grader show doubled --course {own}"


def test_a_course_of_quizzes_alone_begins_with_one(tmp_path: Path, own: Path) -> None:
    folder = tmp_path / "quizzes_alone"
    for arguments in (["course", str(folder)], ["quiz", "warm_up", "--course", str(folder)]):
        assert CliRunner().invoke(cli, ["author", "new", *arguments]).exit_code == 0
    started = CliRunner().invoke(cli, ["start", str(tmp_path / "work"), "--course", str(folder)])
    assert "grader show warm_up" in started.output


def test_a_course_of_the_environment_is_not_repeated(own: Path, following: Next) -> None:
    shown = CliRunner().invoke(cli, ["show", "doubled"], env={"GRADER_COURSE": str(own)})
    assert "grader check doubled.py" in shown.output
    assert "--course" not in shown.output


def test_an_empty_file_is_told_how_to_bring_its_starter_back(own: Path, following: Next) -> None:
    Path("doubled.py").write_text("")
    shown = CliRunner().invoke(cli, ["check", "doubled.py", "--isolation", "none", "--course", str(own)]).output
    assert f"`grader reset doubled --course {own}`" in " ".join(shown.split())
