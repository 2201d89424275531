"""Where reports go, and what happens when they cannot."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.cli import cli
from grader.cli.output import Destination, deliver, destinations, warn_of_mixed, write
from grader.cli.stop import Stop

KNOWN = ("text", "json", "html")


def test_the_text_report_is_shown_unless_another_goes_to_standard_output(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert destinations([], KNOWN, "en") == (Destination("text"),)
    assert destinations(["json"], KNOWN, "en") == (Destination("json"),)
    assert destinations([f"html={page}"], KNOWN, "en") == (Destination("text"), Destination("html", page))
    assert destinations(["json", f"html={page}"], KNOWN, "en") == (Destination("json"), Destination("html", page))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("jsn", "Did you mean 'json'"),
        ("zzzz", "text, json, html"),
        ("json=", "a file name is missing"),
        ("json=nowhere/out.json", "there is no folder nowhere"),
        ("json=.", "that is a folder"),
        ("json=attention.py", "it would take the place of work"),
        ("html=self_test.yaml", "it would take the place of work"),
    ],
)
def test_a_report_that_cannot_be_is_refused_before_anything_is_graded(
    value: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Stop, match=said) as stop:
        destinations([value], KNOWN, "en")
    assert stop.value.exit_code == 2


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    file.write_text("old and longer")
    write(file, "new")
    assert file.read_text() == "new"
    assert os.listdir(tmp_path) == ["out.json"]


def test_a_link_stays_a_link_and_a_device_stays_a_device(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    write(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    write(Path(os.devnull), "gone")
    assert not Path(os.devnull).is_file()


def test_no_old_report_stays_when_the_new_one_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, data: bytes) -> int:
        self.touch()
        raise OSError(28, "No space left on device")

    file = tmp_path / "out.json"
    file.write_text("old")
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(Stop, match="No space left"):
        deliver([Destination("json", file)], lambda word, style: "new", "en")
    assert os.listdir(tmp_path) == []


def test_standard_output_comes_before_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = Destination("json", tmp_path / "gone" / "out.json")
    with pytest.raises(Stop):
        deliver([bad, Destination("text")], lambda word, style: f"{word}\n\n", "en")
    assert capsys.readouterr().out == "text\n"


@pytest.mark.parametrize(
    "arguments", [["empty"], ["nowhere"], ["empty", "--course", "empty"], ["x.yaml"], ["x.yaml", "--exercise", "zzz"]]
)
def test_no_old_report_stays_when_nothing_was_graded(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "x.yaml").write_text("quiz: x\n")
    (tmp_path / "old.json").write_text("{}")
    (tmp_path / "old.html").symlink_to("kept")
    (tmp_path / "kept").write_text("old")
    reports = ["--report", "json=old.json", "--report", "html=old.html", "--report", f"text={os.devnull}"]
    result = CliRunner().invoke(cli, ["check", *arguments, *reports, "--isolation", "none"])
    assert result.exit_code in (1, 2), result.output
    assert not (tmp_path / "old.json").exists()
    assert not (tmp_path / "kept").exists()
    assert Path(os.devnull).exists()


def test_a_wrong_report_option_removes_nothing(tmp_path: Path) -> None:
    kept = [tmp_path / name for name in ("old.json", "notes.txt", "work.py")]
    for file in kept:
        file.write_text("mine")
    for wrong in ("jsn=notes.txt", f"json={tmp_path / 'work.py'}"):
        reports = ["--report", f"json={tmp_path / 'old.json'}", "--report", wrong]
        assert CliRunner().invoke(cli, ["check", str(tmp_path / "nowhere"), *reports]).exit_code == 2
        assert all(file.read_text() == "mine" for file in kept)


@pytest.mark.parametrize(("lang", "said"), [("en", "one after the other: junit, text."), ("zh", "junit, text")])
def test_reports_that_run_together_are_warned_of(lang: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    known = ("text", "junit", "github")
    warn_of_mixed(destinations(["junit", "text"], known, lang), lang)
    warned = capsys.readouterr().err
    assert said in warned
    assert "--report text=FILE" in warned
    for fine in (["junit"], ["text", "github"], ["text", f"junit={os.devnull}"], []):
        warn_of_mixed(destinations(fine, known, lang), lang)
    assert capsys.readouterr().err == ""


def test_a_run_that_stops_warns_once(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        cli, ["check", str(tmp_path), "--isolation", "none", "--report", "junit", "--report", "text"]
    )
    assert result.stderr.count("one after the other") == 1
