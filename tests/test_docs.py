"""The documentation says what is so: its blocks run, its samples load, its links lead somewhere, its commands and options exist."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import types
import zipfile
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import transcripts
import yaml

from grader.author.mutate.allowed import MAY_PASS, load_allowed
from grader.cli import cli
from grader.course.downloads import find_entries
from grader.course.downloads.sorting import Wanted, sort_files
from grader.model import AuthorError
from grader.stages.spec import load_exercise, load_mistakes, load_quiz, read_answers
from grader.stages.spec.explain import validate
from grader.stages.spec.models import CourseFile
from grader.stages.spec.reader import read_yaml

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))
STORIES = [story for page in PAGES for story in transcripts.stories(page)]


def page_name(path: Path) -> str:
    return path.name


QUICK = ("index: In one minute", "learner: Answer a quiz", "words: What is refused")
"""Stories of which each run of the tests plays every one; the others are among the slow tests."""


@pytest.mark.parametrize(
    "story", [pytest.param(s, id=str(s), marks=() if str(s) in QUICK else pytest.mark.slow) for s in STORIES]
)
def test_a_console_block_shows_what_the_commands_print(
    story: transcripts.Story, tmp_path: Path, update_transcripts: bool
) -> None:
    if update_transcripts:
        story = next(s for s in transcripts.stories(story.file) if s.title == story.title)
    transcripts.check(story, tmp_path, update=update_transcripts)


# ---------------------------------------------------------------- samples


def fenced(page: Path, kind: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each block of a kind, wherever it is indented."""
    text = page.read_text(encoding="utf-8")
    for found in re.finditer(rf"^( *)```{kind}\n(.*?)^\1```$", text, re.DOTALL | re.MULTILINE):
        yield text[: found.start()].count("\n") + 1, re.sub(rf"^{found[1]}", "", found[2], flags=re.MULTILINE)


SAMPLES = [(page, line, text) for page in PAGES for line, text in fenced(page, "yaml")]


@pytest.mark.parametrize(("page", "line", "text"), SAMPLES, ids=[f"{page.name}:{line}" for page, line, _ in SAMPLES])
def test_a_sample_of_yaml_is_what_it_looks_like(page: Path, line: int, text: str, tmp_path: Path) -> None:
    """A sample of each file of a course loads; what belongs to a forge is valid YAML whose commands are looked at below."""
    data = yaml.safe_load(text) or {}
    try:
        if "signature" in data:
            name = re.match(r"\w+", data["signature"])
            assert name
            (tmp_path / f"01_{name[0]}.yaml").write_text(text, encoding="utf-8")
            load_exercise(tmp_path / f"01_{name[0]}.yaml")
        elif "questions" in data:
            (tmp_path / "01_sample.yaml").write_text(text, encoding="utf-8")
            load_quiz(tmp_path / "01_sample.yaml")
        elif "modules" in data:
            assert not isinstance(validate(CourseFile, read_yaml(text, "course.yaml")), list)
        elif "answers" in data:
            (tmp_path / "sheet.yaml").write_text(text, encoding="utf-8")
            assert not read_answers(tmp_path / "sheet.yaml", "sheet.yaml").problems
        elif data and all(isinstance(value, dict) and "says" in value for value in data.values()):
            (tmp_path / "mistakes.yaml").write_text(text, encoding="utf-8")
            load_mistakes(tmp_path / "mistakes.yaml", "mistakes.yaml")
        elif data and all(isinstance(value, dict) and "why" in value for value in data.values()):
            (tmp_path / MAY_PASS).parent.mkdir()
            (tmp_path / MAY_PASS).write_text(text, encoding="utf-8")
            named = {slug for value in data.values() for slug in value.get("exercises", ())}
            assert len(load_allowed(tmp_path, dict.fromkeys(named))) == len(data)
        else:
            assert not data or is_of_a_forge(data), f"{page.name}:{line}: what is this?"
    except AuthorError as error:
        pytest.fail(f"{page.name}:{line}: {error}")


def is_of_a_forge(data: dict[object, object]) -> bool:
    return "jobs" in data or any(isinstance(job, dict) and "script" in job for job in data.values())


def test_a_class_folder_is_read_as_the_page_says(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "instructor.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^SUBMISSIONS/\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    for name in (line.split("#")[0].strip() for line in block.splitlines()):
        path = tmp_path / (f"{name}attention.py" if name.endswith("/") else name)
        path.parent.mkdir(exist_ok=True)
        if path.suffix == ".zip":
            zipfile.ZipFile(path, "w").writestr("head_temperature.py", "x = 1\n")
        else:
            path.write_text("x = 1\n", encoding="utf-8")
    entries = find_entries(tmp_path)
    assert [entry.learner for entry in entries] == ["ann", "ben", "cy", "dora", "eve"]
    assert entries[-1].submitted_at == "2026-03-01T18:30:00+01:00"
    wanted = Wanted({"head_temperature": "head_temperature"}, ("temperatures",))
    pieces = [piece.slug for entry in entries[:3] for piece in sort_files(entry.files(), wanted)]
    assert pieces == ["head_temperature", "temperatures", "head_temperature", "head_temperature"]


# ---------------------------------------------------------------- commands


def commands(group: click.Group, ctx: click.Context) -> dict[str, click.Command]:
    found = {name: group.get_command(ctx, name) for name in group.list_commands(ctx)}
    return {name: command for name, command in found.items() if command is not None}


SHOWN = re.compile(r"(?:^|[`$>|;] ?|run: |- )grader((?: +[^\s`|>#;]+)+)", re.MULTILINE)


def shown_commands(page: Path) -> Iterator[tuple[str, list[str]]]:
    text = page.read_text(encoding="utf-8")
    for found in SHOWN.finditer(text):
        rest = text[found.end() :].split("\n", 1)[0].strip()
        remarked = re.findall(r"--[\w-]+", rest) if rest.startswith("#") else []
        yield found[0].strip(), [*found[1].split(), *remarked]


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=page_name)
def test_a_command_that_is_shown_exists_with_its_options(page: Path) -> None:
    for shown, words in shown_commands(page):
        command: click.Command = cli
        while words and isinstance(command, click.Group):
            if words[0].startswith("-"):
                words = words[1:] if "=" in words[0] or words[0] == "--help" else words[2:]
                continue
            known = commands(command, click.Context(command))
            names = words[0].split("\\|")[0].split("|")[0]
            assert names in known, f"{page.name}: {shown}"
            command, words = known[names], words[1:]
        options = {option for parameter in command.params for option in parameter.opts}
        for word in words:
            if word.startswith("--"):
                assert word.split("=")[0] in options | {"--help"}, f"{page.name}: {shown}"


def test_an_option_in_a_remark_behind_a_command_has_to_exist_too(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```text\ngrader course gradebook DIR   # Canvas with --no-such\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="--no-such"):
        test_a_command_that_is_shown_exists_with_its_options(page)


def test_commands_are_found_on_the_pages() -> None:
    assert sum(len(list(shown_commands(page))) for page in PAGES) > 40


# ---------------------------------------------------------------- links and pictures

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md", ROOT / "exercises" / "README.md"], ids=page_name)
def test_a_link_leads_to_a_page_and_a_heading(page: Path) -> None:
    for target in (one or other for one, other in LINK.findall(page.read_text(encoding="utf-8"))):
        if target.startswith(("https://", "http://")):
            continue
        file, _, anchor = target.partition("#")
        there = (page.parent / file) if file else page
        assert there.exists(), f"{page.name}: {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
            assert anchor in slugs, f"{page.name}: {target}"


def made(name: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(f"docs_{name}", ROOT / "docs" / "make" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_picture_is_what_the_imports_give() -> None:
    layout = made("layout")
    assert layout.picture(layout.imports()) == layout.PICTURE.read_text(encoding="utf-8"), "python docs/make/layout.py"


def test_imports_that_go_round_in_a_circle_are_said() -> None:
    layout = made("layout")
    with pytest.raises(SystemExit, match="a → b → a"):
        layout.levels({"a": frozenset("b"), "b": frozenset("a")})


def test_an_arrow_that_follows_from_others_is_left_out() -> None:
    layout = made("layout")
    edges = {"top": frozenset({"mid", "low"}), "mid": frozenset({"low"}), "low": frozenset()}
    assert layout.direct(edges)["top"] == {"mid"}


# ---------------------------------------------------------------- the site


def build(to: Path, gallery: str | None) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "XDG_CACHE_HOME": str(to / "cache")}
    if gallery is not None:
        environ["GALLERY"] = gallery
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "--site-dir", str(to / "site")]
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=600, check=False)


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    built = build(tmp_path, "")
    assert built.returncode == 0, built.stdout + built.stderr
    for html in (tmp_path / "site").rglob("*.html"):
        fetched = re.findall(r'(?:src=|<link[^>]*href=)"(?:https?:)?//[^"]+"', html.read_text(encoding="utf-8"))
        assert not fetched, html


@pytest.mark.slow
def test_the_gallery_shows_every_mistake_once(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    built = build(tmp_path, None)
    assert built.returncode == 0, built.stdout + built.stderr
    shown = [
        name
        for page in sorted((tmp_path / "site" / "gallery").glob("*.html"))
        for name in re.findall(r"<h3 id=\"[^\"]*\"><code>(\w+)</code>", page.read_text(encoding="utf-8"))
    ]
    assert len(shown) == len(set(shown)) > 250
    page = (tmp_path / "site" / "gallery" / "01.html").read_text(encoding="utf-8")
    assert "Your scores are too small by another √d_k: the divisor was d_k." in page
    assert '<td class="' in page
