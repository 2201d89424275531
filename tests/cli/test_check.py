"""`grader check` on the real road: what each kind of submission gets, and what the command line adds to it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from grader.cli import cli
from grader.course.find import find_course
from grader.course.folder import load_course

Run = Callable[..., Result]

RIGHT = "def scale_scores(scores, d_k):\n    return scores / d_k**0.5\n"
WRONG = "def scale_scores(scores, d_k):\n    return scores / d_k\n"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv(
        "XDG_CACHE_HOME", str(Path(os.environ.get("PYTEST_CACHE", "/tmp"), f"grader-tests-{os.getuid()}"))
    )

    def check(*arguments: str) -> Result:
        return CliRunner().invoke(cli, ["check", *arguments])

    return check


def told(result: Result) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def put(name: str, text: str = RIGHT) -> Path:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)
    return Path(name)


def test_a_right_file_gets_all_points_and_exit_code_0(run: Run) -> None:
    put("scale_scores.py")
    result = run("scale_scores.py", "--report", "json")
    assert result.exit_code == 0, result.output
    report = told(result)
    assert report["format"] == 1
    assert report["score"] == report["max_score"] > 0
    assert [(r["slug"], r["verdict"]) for r in report["results"]] == [("scale_scores", "passed")]


def test_a_mistake_is_named_and_ends_with_1(run: Run) -> None:
    put("scale_scores.py", WRONG)
    result = run("scale_scores.py", "--report", "json")
    assert result.exit_code == 1, result.output
    (graded,) = told(result)["results"]
    assert graded["verdict"] == "failed"
    assert graded["score"] == 0
    assert [d["mistakes"] for d in graded["diagnoses"]] == [["divided_by_d_k", "scaled_twice"]]


def test_the_score_that_is_enough_can_be_lowered(run: Run) -> None:
    put("scale_scores.py", WRONG)
    assert run("scale_scores.py", "--min-score", "0").exit_code == 0
    assert run("scale_scores.py", "--min-score", "1").exit_code == 1
    assert run("scale_scores.py", "--min-score", "101").exit_code == 2


def test_the_report_is_text_in_the_language_asked_for(run: Run) -> None:
    put("scale_scores.py")
    assert "Correct" in run("scale_scores.py").stdout
    chinese = run("scale_scores.py", "--lang", "zh").stdout
    assert "正确" in chinese
    assert "Correct" not in chinese


def test_every_format_is_written_where_it_is_asked_for(run: Run) -> None:
    put("scale_scores.py", WRONG)
    reports = ["html=page.html", "markdown=page.md", "json=page.json"]
    result = run("scale_scores.py", *(part for report in reports for part in ("--report", report)))
    assert "scale_scores" in result.stdout  # the text report, since no other one is shown
    assert Path("page.html").read_text().startswith("<!doctype html>")
    assert "Scale the scores" in Path("page.md").read_text()
    assert json.loads(Path("page.json").read_text())["format"] == 1
    assert sorted(os.listdir()) == ["page.html", "page.json", "page.md", "scale_scores.py"]


def test_the_same_run_gives_the_same_report(run: Run) -> None:
    put("scale_scores.py", WRONG)
    reports = [told(run("scale_scores.py", "--report", "json")) for _ in range(2)]
    assert reports[0] == reports[1]
    assert told(run("scale_scores.py", "--report", "json", "--seed", "1"))["seed"] == 1


def test_a_folder_is_graded_against_the_course_and_what_is_missing_counts(run: Run) -> None:
    put("sub/scale_scores.py")
    result = run(".", "--report", "json")
    assert result.exit_code == 1
    report = told(result)
    verdicts = {r["slug"]: r["verdict"] for r in report["results"]}
    assert verdicts.pop("scale_scores") == "passed"
    course = load_course(find_course())
    assert set(verdicts) == {*course.exercises, *course.quizzes} - {"scale_scores"}
    assert set(verdicts.values()) == {"not_submitted"}
    assert 0 < report["score"] < report["max_score"]


def test_untouched_starters_are_not_started_and_no_mistakes(run: Run) -> None:
    assert CliRunner().invoke(cli, ["start", "."]).exit_code == 0
    put("scale_scores.py")
    result = run(".", "--report", "json=report.json")
    verdicts = {r["slug"]: r["verdict"] for r in json.loads(Path("report.json").read_text())["results"]}
    assert verdicts.pop("scale_scores") == "passed"
    assert set(verdicts.values()) == {"not_submitted"}
    assert "  ○ not started: attention, masked_attention, causal_self_attention" in result.stdout
    assert f"Not started: {len(verdicts)}. They count as 0 points." in result.stdout
    assert "Not handed in" not in result.stdout
    assert "NotImplementedError" not in result.stdout
    listed = CliRunner().invoke(cli, ["list"]).stdout
    assert "✓ scale_scores" in listed
    assert re.search(r"· attention +–/10", listed)


def test_an_untouched_starter_alone_is_answered_with_what_to_do(run: Run) -> None:
    assert CliRunner().invoke(cli, ["start", "."]).exit_code == 0
    shown = run("attention.py")
    assert shown.exit_code == 1
    assert "This file is still the starter" in shown.stdout
    assert "grader show attention" in shown.stdout


def test_a_folder_can_be_narrowed_to_one_exercise(run: Run) -> None:
    put("scale_scores.py")
    result = run(".", "--exercise", "scale_scores", "--report", "json")
    assert result.exit_code == 0, result.output
    assert [r["slug"] for r in told(result)["results"]] == ["scale_scores"]


def test_several_files_are_graded_in_one_run(run: Run) -> None:
    put("a/scale_scores.py")
    put("b/scale_scores.py", WRONG)
    result = run("a/scale_scores.py", "b/scale_scores.py", "--report", "json")
    assert result.exit_code == 1
    assert [r["verdict"] for r in told(result)["results"]] == ["passed", "failed"]


def test_a_workspace_remembers_what_was_reached(run: Run) -> None:
    assert CliRunner().invoke(cli, ["start", "."]).exit_code == 0
    put("scale_scores.py")
    run("scale_scores.py")
    assert "✓ scale_scores" in CliRunner().invoke(cli, ["list"]).stdout
    put("scale_scores.py", WRONG)
    run("scale_scores.py")
    assert "✗ scale_scores" in CliRunner().invoke(cli, ["list"]).stdout


def test_outside_a_workspace_nothing_is_left_behind(run: Run) -> None:
    put("scale_scores.py")
    run("scale_scores.py")
    assert os.listdir() == ["scale_scores.py"]


def test_a_starter_does_not_pass(run: Run) -> None:
    assert CliRunner().invoke(cli, ["start", "."]).exit_code == 0
    result = run("scale_scores.py", "--report", "json")
    assert result.exit_code == 1
    assert told(result)["results"][0]["verdict"] == "not_submitted"
    assert told(result)["score"] == 0


def odd_fifo(file: Path) -> None:
    os.mkfifo(file)


def odd_link(file: Path) -> None:
    put("real.py").rename("elsewhere.txt")
    file.symlink_to("elsewhere.txt")


def odd_dangling(file: Path) -> None:
    file.symlink_to("nowhere")


def odd_encoding(file: Path) -> None:
    file.write_bytes(b"# \xff\xfe caf\xe9\n" + RIGHT.encode())


ODD: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a folder": (lambda file: file.mkdir(), "folder"),
    "a fifo": (odd_fifo, "named pipe"),
    "a link": (odd_link, "link"),
    "a dangling link": (odd_dangling, "link"),
    "not utf-8": (odd_encoding, "UTF-8"),
    "empty": (lambda file: file.write_text(""), "empty"),
    "a syntax error": (lambda file: file.write_text("def scale_scores(scores, d_k:\n    return 1\n"), "line 1"),
    "a misspelt function": (
        lambda file: file.write_text("def scale_score(scores, d_k):\n    return 1\n"),
        "scale_score",
    ),
}


@pytest.mark.parametrize("kind", ODD)
def test_a_file_that_cannot_be_run_is_the_learners_and_says_why(run: Run, kind: str) -> None:
    make, said = ODD[kind]
    make(Path("scale_scores.py"))
    result = run("scale_scores.py")
    assert result.exit_code == 1, result.output
    assert said in result.stdout
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere.py",), "nowhere.py is not there"),
        (("scale_scoers.py",), "Did you mean 'scale_scores.py'?"),
        (("other.py",), "Add --exercise"),
        (("scale_scores.py", "--exercise", "scale_score"), "Did you mean 'scale_scores'?"),
        (("scale_scores.py", "--report", "jsn"), "Did you mean 'json'?"),
        (("scale_scores.py", "--report", "json=no/where.json"), "there is no folder no"),
        (("scale_scores.py", "--report", "json=scale_scores.py"), "take the place of work"),
        (("scale_scores.py", "--min-score", "nan"), "a number from 0 to 100"),
        (("scale_scores.py", "--course", "."), "course.yaml"),
        (("",), "the path is empty"),
        (("scale_scores.py", "--course", ""), "the path is empty"),
        ((), "PATH"),
    ],
    ids=str,
)
def test_a_usage_error_ends_with_2_and_grades_nothing(run: Run, arguments: tuple[str, ...], said: str) -> None:
    put("scale_scores.py")
    put("other.py")
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert result.stdout == ""


def test_a_folder_with_nothing_to_grade_ends_with_1(run: Run) -> None:
    result = run(".")
    assert result.exit_code == 1
    assert "no file to grade" in result.stderr


def test_a_folder_names_what_cannot_be_read_and_counts_the_points_of_a_quiz_alike(run: Run) -> None:
    odd_fifo(Path("scale_scores.py"))
    Path("self_test.yaml").mkdir()
    shown = run(".").stdout
    assert re.search(r"✗ scale_scores +cannot be read +0/5", shown)
    assert re.search(r"✗ self_test +cannot be read +0/40", shown)
    assert "exception" not in shown


BOMB = "quiz: self_test\nanswers:\n" + "  a: &a [1, 1]\n" + "".join(f"  b{n}: &b{n} [*a, *a]\n" for n in range(9))


def test_an_answer_sheet_that_is_an_alias_bomb_is_refused_with_its_place(run: Run) -> None:
    put("self_test.yaml", BOMB)
    result = run("self_test.yaml")
    assert result.exit_code == 1
    assert "self_test.yaml:3:" in result.stdout


def test_a_broken_sheet_of_no_known_quiz_says_where_it_breaks(run: Run) -> None:
    put("answers.yaml", "quiz: [")
    result = run("answers.yaml")
    assert result.exit_code == 1
    assert "answers.yaml:1:" in result.output


def test_an_untouched_answer_sheet_scores_nothing(run: Run) -> None:
    assert CliRunner().invoke(cli, ["start", "."]).exit_code == 0
    result = run("self_test.yaml", "--report", "json")
    assert result.exit_code == 1
    report = told(result)
    assert report["score"] == 0
    assert report["max_score"] > 0


def test_a_device_that_is_not_here_ends_with_4(run: Run) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is CUDA here")
    put("scale_scores.py")
    result = run("scale_scores.py", "--device", "cuda")
    assert result.exit_code == 4, result.output
    assert "CUDA" in result.stderr
    assert run("scale_scores.py", "--device", "auto").exit_code == 0
