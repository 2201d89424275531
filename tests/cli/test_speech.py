"""Which language a command speaks: `--lang` before its name or after it, else that of the environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import pairwise

import pytest
from click.testing import CliRunner

from grader.cli import cli
from grader.cli.speech import asked_for
from grader.kinds.reports.terminal import cells


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["list"], "Similarity and scaling"),
        (["--lang", "zh", "list"], "相似度与缩放"),
        (["--lang=zh", "list"], "相似度与缩放"),
        (["list", "--lang", "zh"], "相似度与缩放"),
        (["--lang", "zh", "list", "--lang", "en"], "Similarity and scaling"),
        (["--lang", "zh", "show", "scale_score"], "没有"),
        (["show", "scale_score", "--lang", "zh"], "没有"),
        (["--lang", "zh", "lisst"], "你是想输入"),
    ],
    ids=" ".join,
)
def test_a_command_speaks_the_language_that_is_nearest_to_it(arguments: list[str], told: str) -> None:
    assert told in CliRunner().invoke(cli, arguments).output


def test_what_is_said_outside_of_a_command_is_in_its_language(tmp_path) -> None:
    (tmp_path / "course.yaml").write_text("title: x\n")
    result = CliRunner().invoke(cli, ["list", "--course", str(tmp_path), "--lang", "zh"])
    assert "课程文件有错误" in result.output
    assert result.exit_code == 3


@pytest.mark.parametrize(
    ("arguments", "lang"),
    [
        (["check", "--lang", "zh", "a.py"], "zh"),
        (["--lang=zh", "check"], "zh"),
        (["--lang", "nn"], None),
        (["--lang"], None),
        (["zh", "--seed", "1"], None),
        ([], None),
    ],
)
def test_the_command_line_tells_the_language_of_help(arguments: list[str], lang: str | None) -> None:
    assert asked_for(arguments) == lang


def test_help_is_in_the_language_that_is_asked_for() -> None:
    command = [sys.executable, "-c", "from grader.cli import main; main()", "check", "--lang", "zh", "--help"]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "用法：" in told
    assert "给代码文件" in told


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "a.py", "--seed", "-1"], "不在范围"),
        (["check", "a.py", "--seed", "x"], "不是有效的"),
        (["check"], "缺少参数"),
        (["list", "--sseed"], "没有 '--sseed' 这个选项"),
    ],
    ids=" ".join,
)
def test_a_usage_error_is_in_the_language_that_is_asked_for(arguments: list[str], said: str) -> None:
    command = [sys.executable, "-c", "from grader.cli import main; main()", "--lang", "zh", *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 2
    assert said in ran.stderr


HELP = """
import click, sys
from grader.cli import cli
def pages(command, ctx):
    print(command.get_help(ctx))
    for name in command.list_commands(ctx) if isinstance(command, click.Group) else ():
        below = command.get_command(ctx, name)
        pages(below, below.context_class(below, info_name=name, parent=ctx, **below.context_settings))
pages(cli, cli.context_class(cli, info_name="grader", **cli.context_settings))
"""


def test_no_page_of_help_breaks_a_word_or_is_too_wide() -> None:
    command = [sys.executable, "-c", HELP, "--lang", "zh"]
    environment = {**os.environ, "COLUMNS": "80"}
    told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=environment).stdout
    assert told.count("用法") + told.count("Usage") > 20
    assert max(map(cells, told.splitlines())) <= 80
    for before, after in pairwise(told.splitlines()):
        assert not (re.search(r"[A-Za-z]$", before) and re.match(r" +[a-z]+[ ，。、]", after)), (before, after)
    assert "Show the version" not in told
    assert "显示版本" in told
