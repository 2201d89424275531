"""Quiz files and the texts of mistakes: what loads, and what is said of what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.model import AuthorError, Mistake
from grader.stages.spec import load_mistakes, load_quiz

QUIZ = """\
title: {en: Recall, zh: 回顾}
intro: {en: Answer all., zh: 请全部作答。}
questions:
  - id: largest
    kind: choice
    points: 2
    prompt: {en: Which, zh: 哪个？}
    options:
      a: {text: {en: This, zh: 这个}}
      1: {text: {en: That, zh: 那个}, feedback: {en: Not that., zh: 不是那个。}}
    key: a
    hints: [{en: Think., zh: 想一想。}]
    explanation: {en: Because., zh: 因为。}
    group: one
    practises: attention
  - {id: sum, kind: number, points: 1, prompt: {en: 1 + 1, zh: 1 + 1？}, key: 2}
"""


def faults(
    tmp_path: Path, text: str, name: str = "01_recall.yaml", exercises: tuple[str, ...] = ("attention",)
) -> list[str]:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(AuthorError) as caught:
        load_quiz(tmp_path / name, "q.yaml", exercises=exercises)
    return [problem.removeprefix("q.yaml:") for problem in caught.value.problems]


def test_a_quiz_loads_with_its_questions_in_order(tmp_path: Path) -> None:
    (tmp_path / "01_recall.yaml").write_text(QUIZ, encoding="utf-8")
    quiz = load_quiz(tmp_path / "01_recall.yaml", exercises=("attention",))
    assert quiz.slug == "recall"
    assert quiz.graded is False
    largest, total = quiz.questions
    assert (largest.id, largest.points, largest.group, largest.practises) == ("largest", 2.0, "one", "attention")
    assert largest.explanation == {"en": "Because.", "zh": "因为。"}
    assert largest.hints == ({"en": "Think.", "zh": "想一想。"},)
    assert (largest.spec.word, total.spec.word) == ("choice", "number")
    assert list(largest.spec.options) == ["a", "1"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("intro:", "intor:", ["1:1: intro: this key is missing", "2:1: intor: unknown key — did you mean `intro`?"]),
        ("kind: choice", "kind: choise", ["5:11: questions[0].kind: unknown word `choise` — did you mean `choice`?"]),
        ("    kind: choice\n", "", ["4:5: questions[0].kind: this key is missing"]),
        (
            "id: largest",
            "id: 1st",
            ["4:9: questions[0].id: got '1st', expected a name of lower-case letters, digits and `_`"],
        ),
        ("id: sum", "id: largest", ["16:10: questions[1].id: a question `largest` is there already"]),
        (
            "practises: attention",
            "practises: atention",
            ["15:16: questions[0].practises: the course has no exercise `atention` — did you mean `attention`?"],
        ),
        (
            "explanation:",
            "explaination:",
            ["13:5: questions[0].explaination: unknown key — did you mean `explanation`?"],
        ),
        ("points: 2", "points: two", ["6:13: questions[0].points: got 'two', expected a number"]),
        (
            "feedback: {en",
            "fedback: {en",
            ["10:37: questions[0].options.1.fedback: unknown key — did you mean `feedback`?"],
        ),
        (
            "{text: {en: This, zh: 这个}}",
            "{text: {en: This}}",
            ["9:17: questions[0].options.a.text: the text in zh is missing"],
        ),
    ],
)
def test_a_fault_is_named_at_its_place(tmp_path: Path, old: str, new: str, expected: list[str]) -> None:
    assert QUIZ.count(old) == 1
    assert faults(tmp_path, QUIZ.replace(old, new)) == expected


def test_what_a_kind_refuses_is_told_in_its_own_words(tmp_path: Path) -> None:
    [fault] = faults(tmp_path, QUIZ.replace("key: a", "key: z"))
    assert fault == "4:5: questions[0]: the key z is not one of the options"


def test_questions_that_are_no_questions_are_named(tmp_path: Path) -> None:
    text = QUIZ[: QUIZ.index("questions:")]
    assert faults(tmp_path, text + "questions: [5]\n") == ["3:13: questions[0]: got 5, expected keys with values"]
    assert faults(tmp_path, text + "questions: []\n") == [
        "3:12: questions: got a list of 0, expected at least 1 of them"
    ]


MISTAKES = """\
unscaled:
  codes: [SC1]
  says: {en: The scores were not scaled., zh: 分数没有缩放。}
  asks: {en: How does it grow, zh: 方差如何增长？}
"""


def test_the_texts_of_mistakes_load(tmp_path: Path) -> None:
    (tmp_path / "mistakes.yaml").write_text(MISTAKES, encoding="utf-8")
    says = {"en": "The scores were not scaled.", "zh": "分数没有缩放。"}
    asks = {"en": "How does it grow", "zh": "方差如何增长？"}
    assert load_mistakes(tmp_path / "mistakes.yaml") == {"unscaled": Mistake("unscaled", ("SC1",), says, asks)}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("unscaled:", "Not scaled:", "m.yaml:1:1: Not scaled: an id has lower-case letters, digits and `_` only"),
        ("[SC1]", "[]", "m.yaml:2:10: unscaled.codes: got a list of 0, expected at least 1 of them"),
        (
            "[SC1]",
            "[sc]",
            "m.yaml:2:11: unscaled.codes[0]: got 'sc', expected text that matches ^[A-Z]{1,4}[0-9]{1,3}[a-z]?$",
        ),
        ("says:", "say:", "m.yaml:2:3: unscaled.says: this key is missing"),
    ],
)
def test_a_fault_in_the_texts_of_mistakes_is_named(tmp_path: Path, old: str, new: str, expected: str) -> None:
    (tmp_path / "mistakes.yaml").write_text(MISTAKES.replace(old, new), encoding="utf-8")
    with pytest.raises(AuthorError) as caught:
        load_mistakes(tmp_path / "mistakes.yaml", "m.yaml")
    assert caught.value.problems[0] == expected
