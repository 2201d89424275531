"""What a learner does between two checks, on the built-in course."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli import cli
from grader.kinds.reports.terminal import cells

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, code: int = 0) -> Result:
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == code, result.output
        return result

    return call


@pytest.fixture
def workspace(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    run("start", "work")
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def test_start_makes_a_workspace_and_says_what_to_do_first(run: Run, tmp_path: Path) -> None:
    shown = run("start", "work").stdout
    assert "grader show similarity_scores" in shown
    files = {p.name for p in (tmp_path / "work").iterdir()}
    assert {"scale_scores.py", "attention.py", "self_test.yaml", "README.md"} <= files
    for name in files - {".grader"}:
        assert name in shown


def test_start_a_second_time_overwrites_nothing(run: Run, workspace: Path) -> None:
    (workspace / "attention.py").write_text("mine")
    result = run("start", ".", code=2)
    assert "similarity_scores.py" in result.stderr
    assert " more" in result.stderr
    assert "grader reset" in result.stderr
    assert (workspace / "attention.py").read_text() == "mine"


def test_start_where_nothing_can_be_written_says_why(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "file" in run("start", "file/work", code=2).stderr


def test_list_shows_what_was_reached_and_what_comes_next(run: Run, workspace: Path) -> None:
    assert "Next: grader show similarity_scores" in run("list").stdout
    standing = {"verdict": "passed", "score": 2.0, "max_score": 2.0}
    (workspace / ".grader/progress.json").write_text(
        json.dumps({"standings": {"similarity_scores": standing}, "hints": {}})
    )
    shown = run("list").stdout
    assert "✓ similarity_scores" in shown
    assert "· causal_mask" in shown
    assert "Next: grader show scale_scores" in shown


def test_list_explains_the_marks_that_it_shows(run: Run, workspace: Path) -> None:
    assert "\n· not started\n" in run("list").stdout
    standings = {
        slug: {"verdict": verdict, "score": 0, "max_score": 5}
        for slug, verdict in {"attention": "passed", "attend": "timed_out", "cost": "not_judged"}.items()
    }
    (workspace / ".grader/progress.json").write_text(json.dumps({"standings": standings, "hints": {}}))
    legend = "✓ passed  … waits for a person  ! stopped early, or cannot be read  · not started"
    assert f"\n{legend}\n" in run("list").stdout


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_list_keeps_its_columns_however_long_a_name_is(run: Run, workspace: Path, lang: str) -> None:
    rows = [line for line in run("list", "--lang", lang).stdout.splitlines() if line.startswith("  ")]
    assert any("multi_head_attention_module" in row for row in rows)
    assert len({re.match(r"  \S (\S+ +\S+  )(?=\S)", row).end() for row in rows}) == 1  # type: ignore[union-attr]


def test_list_counts_as_check_does_and_says_what_a_person_gives(run: Run, workspace: Path) -> None:
    from grader.cli.learner import total
    from grader.course.find import find_course
    from grader.course.lazily import open_course_lazily
    from grader.grade import grade_quiz
    from grader.model import Response

    course = open_course_lazily(find_course(None))
    shown, later = run("list").stdout, 0.0
    for slug, quiz in course.quizzes.items():
        here, more = total(quiz)
        later += more
        assert here == grade_quiz(quiz, Response("", slug, {})).max_score
        assert re.search(rf"· {slug} +{f'–/{here:g}' if here else '–'}  ", shown)
    assert later > 0
    assert f"Answers in your own words count {later:g} points more, once a person has read them." in shown
    assert f"0/{sum(total(item)[0] for item in (*course.exercises.values(), *course.quizzes.values())):g}" in shown


def test_show_of_a_quiz_tells_the_points_that_a_person_gives(run: Run) -> None:
    assert "Foundations · 21 points, and 2 once a person has read your answers" in run("show", "foundations").stdout


@pytest.mark.parametrize("slug", ["scale_scores", "causal_mask", "output_shapes", "attention"])
def test_show_gives_the_signature_the_prompt_and_the_axes(run: Run, slug: str) -> None:
    shown = run("show", slug).stdout
    assert f"def {slug}(" in shown
    assert f"grader check {slug}.py" in shown
    assert "hidden" in shown


def test_show_of_a_quiz_says_how_to_answer_it(run: Run) -> None:
    assert "grader quiz self_test" in run("show", "self_test").stdout


def test_show_speaks_chinese(run: Run) -> None:
    shown = run("show", "attention", "--lang", "zh").stdout
    assert "注意力" in shown
    assert "测试用例" in shown


@pytest.mark.parametrize("command", ["show", "hint", "reset"])
def test_an_unknown_name_is_answered_with_the_nearest(run: Run, workspace: Path, command: str) -> None:
    assert "Did you mean 'attention'?" in run(command, "atention", code=2).stderr


def test_hints_come_one_after_the_other_and_then_end(run: Run, workspace: Path) -> None:
    first, second = run("hint", "attention").stdout, run("hint", "attention").stdout
    assert first.startswith("Hint 1 of 3:")
    assert second.startswith("Hint 2 of 3:")
    run("hint", "attention")
    last = run("hint", "attention").stdout
    assert last.startswith("Hint 3 of 3:")
    assert "no more" in last


def test_a_hint_can_be_read_again_without_losing_the_place(run: Run, workspace: Path) -> None:
    run("hint", "attention")
    run("hint", "attention")
    assert run("hint", "attention", "1").stdout.startswith("Hint 1 of 3:")
    assert run("hint", "attention").stdout.startswith("Hint 3 of 3:")


def test_outside_a_workspace_a_hint_is_given_and_nothing_is_written(run: Run, tmp_path: Path) -> None:
    assert "Nothing is remembered" in run("hint", "attention").stdout
    assert run("hint", "attention").stdout.startswith("Hint 1 of 3:")
    assert list(tmp_path.iterdir()) == []


def test_reset_gives_the_starter_back_and_keeps_what_was_there(run: Run, workspace: Path) -> None:
    starter = (workspace / "attention.py").read_text()
    (workspace / "attention.py").write_text("mine")
    shown = run("reset", "attention").stdout
    assert (workspace / "attention.py").read_text() == starter
    assert (workspace / ".grader/backups/attention.py.1").read_text() == "mine"
    assert ".grader/backups/attention.py.1" in shown


def test_reset_outside_a_workspace_touches_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "attention.py").write_text("mine")
    assert "grader start" in run("reset", "attention", code=2).stderr
    assert (tmp_path / "attention.py").read_text() == "mine"


def test_a_folder_that_is_no_course_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "course.yaml" in run("list", "--course", "empty", code=2).stderr


def test_a_broken_course_shows_its_lines_and_is_not_the_learners_fault(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad/course.yaml").write_text("titel: x\n")
    result = run("list", "--course", "bad", code=3)
    assert "course.yaml:1:1" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("inside", ["more", "deep/er/more"])
def test_start_makes_no_workspace_inside_another(run: Run, workspace: Path, inside: str) -> None:
    before = sorted(workspace.rglob("*"))
    result = run("start", inside, code=2)
    assert f"inside the workspace {workspace}" in result.stderr
    assert sorted(workspace.rglob("*")) == before
    assert "工作区" in run("start", inside, "--lang", "zh", code=2).stderr
    assert "The workspace is ready" in run("start", "../beside").stdout


def test_a_hint_that_is_not_there_is_not_another_one(run: Run, workspace: Path) -> None:
    assert "There is no hint 9: the last one of attention is 3." in run("hint", "attention", "9", code=2).stderr
    assert "没有第 9 条提示" in run("hint", "attention", "9", "--lang", "zh", code=2).stderr
    assert run("hint", "attention").stdout.startswith("Hint 1 of 3:")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("slug", ["open_questions", "by_hand", "scaled_dot_product"])
@pytest.mark.parametrize(("columns", "widest"), [(None, 120), ("60", 60)])
def test_show_is_as_wide_as_there_is_room(
    run: Run, monkeypatch: pytest.MonkeyPatch, slug: str, lang: str, columns: str | None, widest: int
) -> None:
    monkeypatch.delenv("COLUMNS")
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    shown = run("show", slug, "--lang", lang).stdout.splitlines()
    # of an exercise the prompt stays as it is laid out; a heading and a command are not broken
    ours = (
        [line for line in shown if line.startswith(("Cases:", "测试用例"))]
        if slug == "scaled_dot_product"
        else shown[1:-1]
    )
    assert ours
    assert max(map(cells, ours)) <= widest
    if (slug, lang, columns) == ("by_hand", "en", None):
        assert max(map(cells, ours)) > 100
