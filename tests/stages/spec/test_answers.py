"""Answer sheets: hostile until proven otherwise; a bad one becomes lines for the learner, never an exception."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.locale import say
from grader.stages.spec import read_answers


def lines(sheet: Path | bytes | str) -> list[str]:
    response = read_answers(sheet, "s.yaml")
    assert response.answers == {}
    return [say(problem, "en") for problem in response.problems]


def test_answers_are_plain_data_and_blank_ones_are_left_out() -> None:
    response = read_answers("quiz: self_test\nanswers:\n  a: 0.5\n  b: [x, {y: yes}]\n  c:\n  d: ''\n", "s.yaml")
    assert response.slug == "self_test"
    assert response.answers == {"a": 0.5, "b": ["x", {"y": "yes"}], "d": ""}
    assert response.problems == ()
    assert response.path == "s.yaml"


def test_the_quiz_may_be_left_to_the_name_of_the_file() -> None:
    assert read_answers("answers: {a: 1}", "s.yaml").slug is None


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("answers: {a: 因果}", encoding="utf-8")
    assert read_answers(path, "s.yaml").answers == {"a": "因果"}


@pytest.mark.parametrize(
    ("sheet", "expected"),
    [
        ("", ["s.yaml:1:1: the file is empty"]),
        ("quiz: 5\n", ["s.yaml:1:1: answers: this key is missing", "s.yaml:1:7: quiz: got 5, expected text"]),
        (
            "answrs: {}\n",
            ["s.yaml:1:1: answers: this key is missing", "s.yaml:1:1: answrs: unknown key — did you mean `answers`?"],
        ),
        ("answers: [1]\n", ["s.yaml:1:10: answers: got a list of 1, expected keys with values"]),
        ("answers:\n", ["s.yaml:1:9: answers: got nothing, expected keys with values"]),
        ("answers: {a: 1, a: 2}\n", ["s.yaml:1:17: answers.a: the key `a` is there twice, first in line 1"]),
        (
            "answers: {a: !!python/name:os.system 1}\n",
            [
                "s.yaml:1:14: answers.a: tags (`!!python/name:os.system`) are not allowed: put text that starts with `!` in quotes"
            ],
        ),
        (b"answers: {a: \xff}\n", ["s.yaml:1:14: the byte 0xFF is not UTF-8: save the file as UTF-8"]),
        (b"answers: {a: \x00}\n", ["s.yaml:1:14: the control character U+0000 is not allowed"]),
    ],
)
def test_a_fault_becomes_a_line(sheet: bytes | str, expected: list[str]) -> None:
    assert lines(sheet) == expected


def test_an_alias_bomb_is_refused_and_its_quiz_still_known() -> None:
    bomb = "quiz: self_test\nanswers:\n  a: &a [x, x]\n  b: &b [*a, *a]\n  c: [*b, *b]\n"
    assert read_answers(bomb, "s.yaml").slug == "self_test"
    assert "s.yaml:4:10: answers.b[0]: aliases (`*a`) are not allowed: write the value out" in lines(bomb)


def test_a_line_is_said_in_chinese_too() -> None:
    [problem] = read_answers("", "s.yaml").problems
    assert say(problem, "zh") == "s.yaml:1:1: 文件是空的"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("answers: {a: 1}")
    (tmp_path / "s.yaml").symlink_to(tmp_path / "secret.yaml")
    assert lines(tmp_path / "s.yaml") == ["s.yaml:1:1: a symbolic link is not read: put the file itself here"]


def test_a_missing_sheet_is_a_line(tmp_path: Path) -> None:
    assert lines(tmp_path / "s.yaml") == ["s.yaml:1:1: there is no such file"]


@given(st.one_of(st.binary(max_size=200), st.text(alphabet="ab:-[]{}&*!|>%@`'\"#,? \n\t\\x", max_size=60)))
def test_nothing_that_is_handed_in_makes_the_reader_fail(sheet: bytes | str) -> None:
    response = read_answers(sheet, "s.yaml")
    assert bool(response.problems) or isinstance(response.answers, dict)
    assert all(say(problem, "en").startswith("s.yaml:") for problem in response.problems)
