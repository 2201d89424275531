"""A third language is one command and one catalogue away, and no text escapes it."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pseudo
import pytest
from click.testing import CliRunner, Result

import grader.locale
from grader.cli import cli
from grader.locale import catalogue, language, languages, say
from grader.model import message

KNN = Path(__file__).parents[1] / "courses" / "knn"

STAY = """
squared_distances nearest_points vote neighbours by_hand name even_number queries points labels true false
by hand even number squared distances nearest
squared_distances.py nearest_points.py vote.py neighbours.yaml README.md work quiz answers
best limits user privileges namespaces landlock seccomp cpu word tie
AttributeError ValueError True numpy.ndarray object has no attribute no_such_thing queries.no_such_thing such thing
import numpy noqa F401 def return raise NotImplementedError details summary open
"""
"""What is the same in every language: slugs, files, parameters, layers of isolation, answers; code and what Python says of it."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("locale")
    pseudo.write_catalogue(made)
    pseudo.course_in_it(KNN, made / "course")
    return made


@pytest.fixture
def run(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Result]]:
    monkeypatch.setattr(grader.locale, "FOLDER", folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("GRADER_COURSE", str(folder / "course"))
    monkeypatch.setenv("LC_ALL", "xx_XX.UTF-8")
    monkeypatch.chdir(tmp_path)
    pseudo.forget_languages()
    forget_commands()
    yield lambda *arguments, keys="": CliRunner().invoke(cli, arguments, input=keys, catch_exceptions=False)
    monkeypatch.undo()
    pseudo.forget_languages()
    forget_commands()


def forget_commands() -> None:
    """Let the next run import its command anew: what `--lang` may be is fixed when a command is imported."""
    for name, module in list(sys.modules.items()):
        if name.startswith("grader.cli.") and any(isinstance(each, click.Command) for each in vars(module).values()):
            del sys.modules[name]


def test_the_language_is_known_with_its_catalogue(run: Callable[..., Result]) -> None:
    assert languages() == ("en", "zh", "xx")
    assert language(None, {"LANG": "xx.UTF-8"}) == "xx"
    assert say(message("Commands"), "xx") == "⟦Ćóɱɱáńďš⟧"
    assert say(message("nobody translates this"), "xx") == "nobody translates this"


WRONG = {
    "squared_distances": "def squared_distances(queries, points):\n    return abs(queries[:, None] - points).sum(-1)\n",
    "nearest_points": "def nearest_points(queries, points, k):\n    return queries.no_such_thing\n",
    "vote": "import numpy as np\ndef vote(neighbours, labels):\n    return np.zeros(3)\n",
}


def told(run: Callable[..., Result], *arguments: str, keys: str = "") -> str:
    return run(*arguments, keys=keys).output


def text_of(page: str) -> str:
    page = re.sub(r"<(style|script|math)\b.*?</\1>", " ", page, flags=re.DOTALL)
    attributes = " ".join(re.findall(r'(?:title|alt|aria-label)="([^"]*)"', page))
    return html.unescape(re.sub(r"<[^>]*>", " ", page)) + attributes


def test_nothing_escapes(run: Callable[..., Result], tmp_path: Path) -> None:
    """Commands, workspaces and reports in a language of which every word is known by its accents."""
    outputs = {"start": told(run, "start", "work")}
    outputs["README"] = (tmp_path / "work" / "README.md").read_text()
    outputs["starter"] = (tmp_path / "work" / "vote.py").read_text()
    outputs["sheet"] = (tmp_path / "work" / "neighbours.yaml").read_text()
    for slug, text in WRONG.items():
        (tmp_path / "work" / f"{slug}.py").write_text(text)
    (tmp_path / "work" / "neighbours.yaml").write_text("answers: {by_hand: 5, name: no one, even_number: true}\n")
    outputs["text"] = told(
        run, "check", "work", "--report", "text", "--report", "html=r.html", "--report", "markdown=r.md"
    )
    outputs["html"], outputs["markdown"] = text_of((tmp_path / "r.html").read_text()), (tmp_path / "r.md").read_text()
    outputs["one file"] = told(run, "check", "work/nearest_points.py")
    outputs["list"] = told(run, "list")
    outputs["hint"] = told(run, "hint", "squared_distances")
    for slug in ("vote", "neighbours"):
        outputs[f"show {slug}"] = told(run, "show", slug)
    outputs["quiz"] = told(run, "quiz", "neighbours", keys="7\n?\n25\ntie\nfalse\n")
    escaped = {name: sorted(pseudo.untranslated(text, frozenset(STAY.split()))) for name, text in outputs.items()}
    assert {name: words for name, words in escaped.items() if words} == {}


def test_texts_of_authors_may_have_the_language_once_it_has_a_catalogue(
    run: Callable[..., Result], folder: Path
) -> None:
    assert "⟦Ťĥé ṽóťé óƒ ťĥé ńéíğĥƀóúřš⟧" in told(run, "list")
    assert "⟦Ƒřóɱ ďíšťáńćéš ťó ṽóťéš⟧" in told(run, "list", "--lang", "xx")
    assert "The vote of the neighbours" in told(run, "list", "--lang", "en")


def test_texts_in_a_language_without_a_catalogue_are_refused(folder: Path) -> None:
    pseudo.forget_languages()
    result = CliRunner().invoke(cli, ["author", "verify", "--course", str(folder / "course")])
    assert "title.xx: unknown key; a text has the keys en and zh" in result.output
    assert result.exit_code == 3


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--new", "FR"], "'FR' is no code of a language"),
        (["--new", "../x"], "is no code of a language"),
        (["--new", "xx"], "there is a catalogue of 'xx' already"),
        (["--new", "en"], "the sources are in English"),
    ],
)
def test_what_is_no_new_language_is_refused(
    folder: Path, arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        catalogue.main(arguments, folder)
    assert stopped.value.code == 2
    assert told in capsys.readouterr().err


def test_a_new_catalogue_has_every_template_and_no_translation(tmp_path: Path) -> None:
    catalogue.main(["--new", "fr"], tmp_path)
    entries = [entry for entry in catalogue.read(catalogue.po_file("fr", tmp_path), "fr") if entry.id]
    assert {str(entry.id) for entry in entries} == set(catalogue.templates())
    assert not any(entry.string for entry in entries)
