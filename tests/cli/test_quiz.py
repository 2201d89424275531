"""A quiz in the terminal: on a pipe, with hints, back and skip, kept after each answer and graded at the end."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.author.draws import freeze
from grader.cli import cli
from grader.course.workspace import read_progress
from grader.stages.spec import read_answers
from grader.stages.spec.variants import draws_file

Run = Callable[..., Result]

QUIZ = """
title: {en: Small, zh: 小测}
intro: {en: Two questions., zh: 两个问题。}
questions:
  - id: place
    kind: choice
    points: 1
    prompt: {en: "Where?", zh: 在哪里？}
    hints: [{en: think, zh: 想一想}, {en: think harder, zh: 再想想}]
    options:
      a: {text: {en: before, zh: 之前}}
      b: {text: {en: after, zh: 之后}, feedback: {en: too late, zh: 太晚了}}
    key: a
  - id: root
    kind: number
    points: 2
    prompt: {en: One over root two., zh: 根号二分之一？}
    key: 1/√2
    typical: [{value: 0.5, feedback: {en: not halved, zh: 不是一半}}]
  - id: words
    kind: text
    points: 1
    prompt: {en: "Why?", zh: 为什么？}
    model_answer: {en: Because., zh: 因为。}
"""
COURSE = """
title: {en: Course, zh: 课程}
modules:
  - {title: {en: One, zh: 一}, quizzes: [small]}
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    (tmp_path / "course" / "quizzes").mkdir(parents=True)
    (tmp_path / "course" / "course.yaml").write_text(COURSE, encoding="utf-8")
    (tmp_path / "course" / "quizzes" / "01_small.yaml").write_text(QUIZ, encoding="utf-8")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    def call(typed: str, *arguments: str, code: int = 0) -> Result:
        command = ("quiz", "small", "--course", str(tmp_path / "course"), *arguments)
        result = CliRunner().invoke(cli, command, input=typed)
        assert result.exit_code == code, result.output
        return result

    return call


def kept(file: str = "small.yaml") -> dict[str, object]:
    return dict(read_answers(Path(file), file).answers)


def test_right_answers_on_a_pipe_reach_the_full_score(run: Run) -> None:
    shown = run("a\n0.7071\nwell, because\n").stdout
    assert "3/3" in shown
    assert "Compare with: Because." in shown
    assert "\x1b" not in shown
    assert kept() == {"place": "a", "root": "0.7071", "words": "well, because"}


def test_a_wrong_answer_gets_its_feedback_and_back_asks_it_again(run: Run) -> None:
    shown = run("b\nback\na\n0.5\n\n", code=1).stdout
    assert shown.index("too late") < shown.index("Your answer so far: b")
    assert "not halved" in shown
    assert "1/3" in shown


def test_what_is_no_answer_is_asked_again_and_kept_nowhere(run: Run) -> None:
    shown = run("c\na\none half\n1/√2\n\n").stdout
    assert "That is not an answer: c is not one of a, b" in shown
    assert kept() == {"place": "a", "root": "1/√2"}


def test_hints_come_one_after_the_other_and_the_last_one_stays(run: Run) -> None:
    shown = run("?\n?\n？\nquit\n", code=1).stdout
    assert "Hint 1 of 2: think" in shown
    assert shown.count("Hint 2 of 2: think harder") == 2


def test_it_goes_on_where_it_stopped_and_asks_wrong_ones_again(run: Run) -> None:
    assert "the same command goes on" in run("a\n0.5\n", code=1).stdout
    shown = run("0.7071\nskip\n").stdout
    assert "Where?" not in shown
    assert "Your answer so far: 0.5" in shown
    assert "2 of 3 are answered" in shown


def test_a_sheet_that_was_edited_by_hand_is_read(run: Run) -> None:
    Path("small.yaml").write_text("quiz: small\nanswers:\n  place: a\n  root: 0.70711\n", encoding="utf-8")
    assert "3/3" in run("skip\n").stdout


def test_a_sheet_that_cannot_be_read_is_left_alone(run: Run) -> None:
    Path("small.yaml").write_text("answers: [", encoding="utf-8")
    result = run("a\n", code=1)
    assert "small.yaml:1:" in result.stderr
    assert Path("small.yaml").read_text(encoding="utf-8") == "answers: ["


def test_a_sheet_of_another_quiz_is_left_alone(run: Run) -> None:
    Path("small.yaml").write_text("quiz: other\nanswers: {}\n", encoding="utf-8")
    assert "answers to other, not to small" in run("a\n", code=2).stderr


def test_an_answer_to_no_question_of_the_quiz_is_not_lost(run: Run) -> None:
    Path("small.yaml").write_text("quiz: small\nanswers: {plaze: b}\n", encoding="utf-8")
    assert "did you mean place" in run("a\n0.7071\n\n").stdout
    assert kept()["plaze"] == "b"


def test_the_quiz_speaks_chinese(run: Run) -> None:
    shown = run("提示\nb\n退出\n", "--lang", "zh", code=1).stdout
    assert "在哪里？" in shown
    assert "想一想" in shown
    assert "太晚了" in shown


def test_a_workspace_keeps_the_sheet_and_remembers_the_result(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work" / ".grader").mkdir()
    (tmp_path / "work" / ".grader" / "progress.json").write_text('{"standings": {}, "hints": {}}')
    (tmp_path / "work" / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "work" / "inner")
    run("a\n0.7071\n\n")
    assert kept("../small.yaml") == {"place": "a", "root": "0.7071"}
    assert read_progress(tmp_path / "work").standings["small"].verdict == "passed"


def test_another_sheet_can_be_named_and_a_folder_that_is_not_there_is_said(run: Run) -> None:
    run("a\n", "--sheet", "mine.yaml", code=1)
    assert kept("mine.yaml") == {"place": "a"}
    assert "cannot be written" in run("a\n", "--sheet", "no/such.yaml", code=2).stderr


def test_an_unknown_quiz_names_the_nearest_one(tmp_path: Path, run: Run) -> None:
    result = CliRunner().invoke(cli, ["quiz", "smal", "--course", str(tmp_path / "course")])
    assert result.exit_code == 2
    assert "small" in result.stderr


def test_control_characters_in_an_answer_reach_neither_terminal_nor_sheet(run: Run) -> None:
    shown = run("a\n0.7071\n\x1b[31mred\u202e\n").stdout
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\x1b" not in Path("small.yaml").read_text(encoding="utf-8")


def test_control_characters_in_a_sheet_that_cannot_be_read_act_on_no_terminal(run: Run) -> None:
    Path("small.yaml").write_text(
        'quiz: small\nanswers: {"pl\\e[31mace\\u202e\\n::error::x": a, "pl\\e[31mace\\u202e\\n::error::x": b}\n'
    )
    result = run("a\n", code=1)
    assert "small.yaml:2:" in result.stderr
    assert not re.search("[\x1b\u202e]|^::", result.stderr, re.MULTILINE)


def test_an_empty_line_says_once_that_it_skips(run: Run) -> None:
    shown = run("\n\na\n", code=1).stdout
    assert shown.count("An empty line skips a question; `back` returns to it.") == 1
    assert "An empty line" not in run("skip\nskip\nskip\n", code=1).stdout


def test_a_graded_quiz_shows_no_model_answer_and_a_practice_quiz_does(run: Run, tmp_path: Path) -> None:
    assert "Because." in run("skip\nskip\nwords\n", code=1).stdout
    Path("small.yaml").unlink()
    file = tmp_path / "course" / "quizzes" / "01_small.yaml"
    file.write_text(QUIZ.replace("questions:", "graded: true\nquestions:"), encoding="utf-8")
    shown = run("a\n0.7071\nwords\n").stdout
    assert "Because." not in shown
    assert "kept for a person to read" in shown


# ---------------------------------------------------------------- tries, code, numbers that vary

TRIES = QUIZ.replace("questions:", "tries: 2\nquestions:").replace(
    "    typical: [{value: 0.5",
    "    hints: [{en: halve, zh: 取半}]\n    explanation: {en: It is 0.707., zh: 是 0.707。}\n    typical: [{value: 0.5",
)


@pytest.fixture
def counting(run: Run, tmp_path: Path) -> Run:
    (tmp_path / "course" / "quizzes" / "01_small.yaml").write_text(TRIES, encoding="utf-8")
    return run


def test_two_tries_have_a_hint_between_and_then_the_reasoning(counting: Run) -> None:
    shown = counting("a\n0.5\n0.6\nwords\n", code=1).stdout
    assert "Tries for each question: 2" in shown
    assert shown.index("not halved") < shown.index("Hint 1 of 1: halve") < shown.index("Tries left: 1")
    assert shown.index("Tries left: 1") < shown.index("The reasoning: It is 0.707.")
    assert kept() == {"place": "a", "root": "0.6", "words": "words"}


def test_what_is_no_answer_uses_no_try(counting: Run) -> None:
    shown = counting("a\none half\n\n0.5\n1/√2\n\n", code=1).stdout
    assert "That is not an answer" in shown
    shown = counting("nonsense\n0.5\n1/√2\n\n").stdout
    assert shown.count("Tries left: 1") == 1
    assert "3/3" in shown


def test_tries_are_remembered_and_a_question_without_one_is_not_asked_again(counting: Run) -> None:
    counting("a\n0.5\nquit\n", code=1)
    assert dict(read_answers(Path("small.yaml"), "small.yaml").tries) == {"root": 1}
    assert "The reasoning" in counting("0.4\nquit\n", code=1).stdout
    shown = counting("back\n0.7071\nskip\n\n", code=1).stdout
    assert "There is no try left" in shown
    assert kept()["root"] == "0.4"


LAB = """
title: {en: Lab, zh: 实验}
intro: {en: One., zh: 一题。}
questions:
  - id: run
    kind: number
    points: 1
    prompt:
      en: |
        Run this:

        ```python
        for n in (1, 2):
            print(n)     # $x^2$
        ```

        What is $\\frac{1}{\\sqrt{n}}$ then?
      zh: |
        运行。
    key: 1
"""


def test_code_in_a_prompt_keeps_its_lines_and_formulas_read_well(run: Run, tmp_path: Path) -> None:
    (tmp_path / "course" / "quizzes" / "01_small.yaml").write_text(LAB, encoding="utf-8")
    shown = run("1\n").stdout
    assert "    for n in (1, 2):\n        print(n)     # $x^2$\n" in shown
    assert "What is 1/√n then?" in shown
    assert "#     for n in (1, 2):\n  #         print(n)" in Path("small.yaml").read_text(encoding="utf-8")


VARIED = """
title: {en: Varied, zh: 变化}
intro: {en: One., zh: 一题。}
questions:
  - id: steps
    kind: number
    points: 1
    prompt: {en: "Steps from 1 to {n}?", zh: "从 1 到 {n} 几步？"}
    varies: {values: {n: {whole: [100, 900]}}}
    key: "{n} - 1"
    tolerance: 0
"""


def test_numbers_that_vary_stay_what_they_were_in_this_sheet(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "course" / "quizzes" / "01_small.yaml"
    file.write_text(VARIED, encoding="utf-8")
    draws_file(file).write_text(freeze(file, no_reference) or "", encoding="utf-8")
    first = run("1\nquit\n", code=1).stdout
    draw = read_answers(Path("small.yaml"), "small.yaml").draw
    number = re.search(r"Steps from 1 to (\d+)", first)
    assert number
    again = run(f"{int(number[1]) - 1}\n").stdout
    assert number[0] in again
    assert "1/1" in again
    assert read_answers(Path("small.yaml"), "small.yaml").draw == draw


def no_reference(function: str, arguments: object, mistake: str | None = None) -> object:
    raise AssertionError("the key is an expression")


def test_a_graded_quiz_without_keys_takes_answers_and_says_why_it_judges_none(run: Run, tmp_path: Path) -> None:
    bare = (
        QUIZ.replace("questions:", "graded: true\nquestions:")
        .replace("    key: a\n", "")
        .replace("    key: 1/√2\n", "")
    )
    bare = bare.replace(", feedback: {en: too late, zh: 太晚了}", "").replace(
        "    typical: [{value: 0.5, feedback: {en: not halved, zh: 不是一半}}]\n", ""
    )
    (tmp_path / "course" / "quizzes" / "01_small.yaml").write_text(bare, encoding="utf-8")
    shown = run("b\n0.5\nwords\n", code=1).stdout
    assert "kept for a person to read" not in shown.split("words")[0]
    assert "holds no key" in " ".join(shown.split())
    assert kept() == {"place": "b", "root": "0.5", "words": "words"}
