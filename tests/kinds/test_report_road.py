"""Hostile submissions and sheets on the real road: what they print, raise, return and are called is harmless in every report."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from report_readers import commands, page, read, rendered
from road import Graded, graded, small_course
from test_report_hostile import ACTIVE, LIVE, MARKED

from grader.cli import cli

NASTY = "\x1b[31mred\u202e</script><img src=x>**b**]]>\x00\n::set-output name=x::1\n##[group]x\n::error::no"
SHOWN = "\\x1b[31mred\\u202e</script><img src=x>**b**]]>"
NAME = "\x1b[31m\u202e]]>&<b>::error::x,y=%0A\n::warning::z*_`|$(id).py"
VISIBLE = "\\x1b[31m\\u202e]]>&<b>::error::x,y=%0A\\n::warning::z*_`|$(id).py"

PRINTS = f"""
import os, sys
'''<script>alert(1)</script>
::error::in a docstring'''
print({NASTY!r})
sys.stderr.write({NASTY!r})
os.write(1, {NASTY!r}.encode())
print("y" * 100_000)

def mixing(x, mask=None):
    print({NASTY!r})
    return x
"""
RAISES = f"""
def inner():
    raise Nasty({NASTY!r})

class Nasty(ValueError):
    def __str__(self):
        return {NASTY!r}

Nasty.__name__ = Nasty.__qualname__ = {NASTY.replace(chr(0), "")!r}
inner.__code__ = inner.__code__.replace(co_name={NASTY!r})

def mixing(x, mask=None):  # ::error::no </script> ##[group]
    inner()
"""
SYNTAX = 'def mixing(x, mask=None):\n    return ("</script>\u202e ::error::no ##[group]\n'
OTHER_NAME = "def mixign(x): return x\nglobals()['::error::</script>\u202e'] = mixign\n"
OTHER_ARGUMENTS = "def mixing(x='\x1b[31m\\n::error::no</script>'): return x\n"
IMPORTS = "import socket_\u0441crypt\nfrom  ctypes import x  # \x07 ::error::\n"
LONG = "print('z' * 10_000_000)\ndef mixing(x, mask=None): raise ValueError('w' * 10_000_000)\n"
SUBMISSIONS = {
    "prints": PRINTS,
    "raises": RAISES,
    "syntax": SYNTAX,
    "other name": OTHER_NAME,
    "other arguments": OTHER_ARGUMENTS,
    "imports": IMPORTS,
    "long": LONG,
}
SHEET = {
    "quiz": "marks",
    "answers": {
        "pick": NASTY.replace("\x00", ""),
        "size": ["</script>", "::error::no"],
        "essay": NASTY.replace("\x00", ""),
        "::error::\u202e</script>": "x",
        "x": "y" * 5000,
    },
}

linux = pytest.mark.skipif(sys.platform != "linux", reason="file names like these are Linux's")


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_course(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def hostile(course: Path, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """All submissions in one run, each in a file with a name of that kind."""
    folder = tmp_path_factory.mktemp("hostile")
    names = [f"{number}{NAME}" for number, _ in enumerate(SUBMISSIONS)]
    for name, source in zip(names, SUBMISSIONS.values(), strict=True):
        (folder / name).write_text(source, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return graded(folder, *names, "--exercise", "mixing", "--course", str(course))


@pytest.fixture(scope="module")
def sheet(course: Path, tmp_path_factory: pytest.TempPathFactory) -> Graded:
    folder = tmp_path_factory.mktemp("sheet")
    (folder / "marks.yaml").write_text(json.dumps(SHEET))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return graded(folder, "marks.yaml", "--course", str(course))


def harmless(found: Graded, results: int) -> None:
    for where, text in found.texts.items():
        assert not LIVE.search(text), where
        assert not MARKED.search(text), where
        assert len(text) < 500_000, where
    for log in (found.printed["stdout"], found.reports["github"]):
        acting, shown = commands(log)
        assert {command for command, _, _ in acting} <= {"error", "warning", "notice"}
        assert sum(command == "error" for command, _, _ in acting) == results  # ours: one each
        assert not [row for row in shown if row.lstrip().startswith("::")]
    for word in {*found.reports} - {"github"}:
        assert not [row for row in found.reports[word].split("\n") if row.lstrip().startswith("::")], word
    for made in (found.reports["html"], rendered(found.reports["markdown"]), rendered(found.summary)):
        assert not page(made).tags & ACTIVE
        assert not [name for name, _ in page(made).attributes if name.startswith("on")]


@linux
def test_hostile_submissions_are_harmless_in_every_report(hostile: Graded) -> None:
    assert hostile.code == 1
    assert len(json.loads(hostile.reports["json"])["results"]) == len(SUBMISSIONS)
    harmless(hostile, len(SUBMISSIONS))


def test_a_hostile_sheet_is_harmless_in_every_report(sheet: Graded) -> None:
    assert sheet.code == 1
    harmless(sheet, 1)


@linux
def test_what_was_said_can_be_read_in_every_report(hostile: Graded) -> None:
    for word, text in hostile.reports.items():
        seen = read(word, text)
        assert SHOWN in seen or SHOWN.replace("\\", "\\\\") in seen, word


@linux
def test_files_are_named_in_a_visible_form(hostile: Graded) -> None:
    acting, _ = commands(hostile.printed["stdout"])
    files = {given["file"] for _, given, _ in acting if "file" in given}
    assert files == {f"{number}{VISIBLE}" for number, _ in enumerate(SUBMISSIONS)}
    assert files == {result["path"] for result in json.loads(hostile.reports["json"])["results"]}


@linux
@pytest.mark.parametrize(
    "arguments",
    [[NAME], ["\n::error::not there.py"], ["--exercise", "\n::error::x", "."], [".", "--report", "\n::error::x"]],
    ids=["name", "absent", "slug", "format"],
)
def test_a_usage_error_repeats_no_command(
    arguments: list[str], course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(NAME).write_text(PRINTS)
    result = CliRunner().invoke(cli, ["check", *arguments, "--course", str(course)])
    assert result.exit_code == 2
    assert "error::" in result.output
    assert not LIVE.search(result.output)
    assert not [row for row in result.output.split("\n") if row.lstrip().startswith("::")]


# ---------------------------------------------------------------- what the judge's environment holds


SPY = """
import os
print("what there is", sorted(os.environ), os.environ)
for path in PATHS:
    try:
        with open(path, "rb") as file:
            print(path, file.read())
    except OSError as error:
        print(path, error)

def mixing(x, mask=None):
    print(os.environ)
    return x
"""
TOLD = {
    "GITHUB_TOKEN": "planted-token",
    "GITHUB_OUTPUT": "/planted/output",
    "GITHUB_ENV": "/planted/env",
    "GITHUB_PATH": "/planted/path",
    "GITHUB_WORKSPACE": "/planted/work",
    "ACTIONS_RUNTIME_TOKEN": "planted-runtime",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "planted-id",
    "RUNNER_TEMP": "/planted/temp",
}


@pytest.mark.parametrize("level", ["best", "none"])
def test_nothing_of_a_github_job_reaches_the_child(
    level: str, course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in TOLD.items():
        monkeypatch.setenv(name, value)
    own = "['/proc/self/environ', '/proc/thread-self/environ']"
    # Without isolation other processes are as open as the machine leaves them.
    paths = own if level == "none" else f"[*{own}, f'/proc/{{os.getppid()}}/environ', '/proc/1/environ']"
    Path("mixing.py").write_text(SPY.replace("PATHS", paths))
    found = graded(tmp_path, "mixing.py", "--isolation", level, "--course", str(course))
    assert "what there is" in found.reports["text"]
    for where, text in found.texts.items():
        for part in ("planted", "GITHUB_", "ACTIONS_", "RUNNER_"):
            assert part not in text, where
