"""A course that was just made has nothing to work on: every command that needs something says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.cli import cli
from grader.interactive import CannotCheck, check


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new") / "course"
    made = CliRunner().invoke(cli, ["author", "new", "course", str(folder)])
    assert made.exit_code == 0, made.output
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "list",
        "show nope",
        "hint nope",
        "reset nope",
        "quiz nope",
        "start work",
        "check answers.yaml",
        "watch --isolation none",
        "course grade handed_in --out out",
        "course release out --for learner",
    ],
)
@pytest.mark.parametrize(("lang", "said"), [("en", "no exercise or quiz yet"), ("zh", "还没有练习，也没有测验")])
def test_a_course_without_anything_in_it_is_said_to_be_that(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, empty: Path, command: str, lang: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.yaml").write_text("quiz: nope\n")
    (tmp_path / "handed_in/ann").mkdir(parents=True)
    result = CliRunner().invoke(cli, [*command.split(), "--course", str(empty), "--lang", lang])
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert not (tmp_path / "work").exists()
    assert not (tmp_path / "out").exists()


def test_a_folder_checked_against_an_empty_course_is_said_to_be_that(tmp_path: Path, empty: Path) -> None:
    result = CliRunner().invoke(cli, ["check", str(tmp_path), "--course", str(empty), "--isolation", "none"])
    assert result.exit_code == 2, result.output
    assert "no exercise or quiz yet" in result.stderr


def test_check_of_a_function_says_it_too(empty: Path) -> None:
    with pytest.raises(CannotCheck, match="no exercise or quiz yet"):
        check("nope", lambda x: x, course=empty)
