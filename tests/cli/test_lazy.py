"""What an exception becomes on the command line, and how help speaks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from grader.cli import cli
from grader.cli.lazy import LazyGroup
from grader.model import AuthorError, IsolationUnavailable, message

ROOT = Path(__file__).parents[2]


def run(error: BaseException) -> Result:
    @click.command()
    def fails() -> None:
        raise error

    group = LazyGroup("grader", commands_at={})
    group.commands_at = {"fails": ("nowhere:fails", message("fails"))}
    group.get_command = lambda ctx, name: fails if name == "fails" else None  # type: ignore[method-assign]
    return CliRunner().invoke(group, ["fails"])


def test_an_error_of_the_course_shows_its_lines_and_ends_with_3() -> None:
    result = run(AuthorError(["exercises/a.yaml:3:1: hiden: unknown key"]))
    assert result.exit_code == 3
    assert "exercises/a.yaml:3:1: hiden: unknown key" in result.stderr
    assert "Traceback" not in result.stderr


def test_isolation_that_cannot_be_had_ends_with_4() -> None:
    result = run(IsolationUnavailable(message("no {layer} here", layer="Landlock")))
    assert result.exit_code == 4
    assert "no Landlock here" in result.stderr


def test_a_bug_of_ours_is_called_a_grader_error_with_a_traceback_and_ends_with_3() -> None:
    result = run(ZeroDivisionError("oh"))
    assert result.exit_code == 3
    assert "ZeroDivisionError: oh" in result.stderr
    assert "grader error" in result.stderr
    assert result.stdout == ""


def test_usage_stays_usage() -> None:
    assert run(click.UsageError("no")).exit_code == 2


def test_a_misspelt_command_is_answered_with_the_nearest() -> None:
    result = CliRunner().invoke(cli, ["chekc"])
    assert result.exit_code == 2
    assert "Did you mean 'check'?" in result.stderr


def said(*arguments: str, lang: str) -> str:
    env = {**os.environ, "LC_ALL": lang}
    command = [sys.executable, "-m", "grader", *arguments]
    ran = subprocess.run(command, env=env, capture_output=True, encoding="utf-8", check=False, timeout=60)
    return ran.stdout + ran.stderr


@pytest.mark.parametrize("arguments", [(), ("--help",), ("chekc",)], ids=str)
def test_help_and_usage_errors_are_chinese_in_a_chinese_environment(arguments: tuple[str, ...]) -> None:
    text = said(*arguments, lang="zh_CN.UTF-8")
    assert "用法" in text
    for english in ("Usage", "Options", "Commands", "Show this", "Try", "No such", "Error"):
        assert english not in text


def test_the_version_is_shown() -> None:
    from grader import __version__

    assert said("--version", lang="C.UTF-8").strip() == f"grader, version {__version__}"


def test_the_module_takes_nothing_from_the_folder_it_is_called_in(tmp_path: Path) -> None:
    for name in ("click", "yaml", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(0)\n")
    (tmp_path / "scale_scores.py").write_text("def scale_scores(scores, d_k):\n    return scores\n")
    command = [sys.executable, "-m", "grader", "check", "scale_scores.py"]
    surroundings = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, timeout=100)
    assert (done.returncode, "0/5" in done.stdout) == (1, True), done.stderr
