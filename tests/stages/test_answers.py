"""A sheet of answers is judged question by question, honestly counted, and never lost to a mistake in writing it."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.kinds.questions import QUESTIONS, check_key
from grader.locale import say
from grader.model import LANGUAGES, Message, Outcome, Question, Quiz, Response, Result, Verdict
from grader.stages.answers import judge_quiz
from grader.stages.paragraphs import paragraphs
from grader.stages.sheet import answer_sheet, kind_of
from grader.stages.spec import load_quiz, read_answers

ROOT = Path(__file__).parents[2]


def said(text: str) -> dict[str, str]:
    return {"en": text, "zh": f"（{text}）"}


def question(name: str, kind: str, points: float, **fields: Any) -> Question:
    spec = QUESTIONS[kind].model_validate(fields)
    return Question(name, points, said(f"Prompt of {name}."), spec, explanation=said(f"Because of {name}."))


OPTIONS = {"a": {"text": said("before")}, "b": {"text": said("after"), "feedback": said("too late")}}
QUIZ = Quiz(
    "small",
    said("Small"),
    said("An intro."),
    (
        question("place", "choice", 1, options=OPTIONS, key="a"),
        question("scores", "numbers", 3, key=[1, 2, 3], cells=[3]),
        replace(question("root", "number", 2, key="1/√2"), hints=(said("think of 2"),), practises="scale_scores"),
        question("words", "text", 2, model_answer=said("a model")),
    ),
)
ALL_RIGHT = {"place": "a", "scores": [1, 2, 3], "root": "1/√2"}


def judge(answers: dict[str, Any], quiz: Quiz = QUIZ) -> Result:
    return judge_quiz(quiz, Response("small.yaml", "small", answers))


def outcome(result: Result, name: str) -> Outcome:
    return next(outcome for outcome in result.outcomes if outcome.case == name)


def text(said: Any) -> str:
    return say(said, "en")


def test_all_that_a_machine_judges_right_is_the_full_score() -> None:
    result = judge({**ALL_RIGHT, "words": "because"})
    assert (result.kind, result.verdict, result.score, result.max_score) == ("quiz", Verdict.PASSED, 6.0, 6.0)
    waiting = outcome(result, "words")
    assert (waiting.verdict, waiting.points, waiting.max_points) == (Verdict.NOT_JUDGED, 0.0, 2.0)
    assert "a model" in text(waiting.message)
    assert text(result.headline) == "All 3 answers that the machine judges are right. For a person to read: 1."


def test_a_text_left_empty_costs_no_machine_points() -> None:
    result = judge(ALL_RIGHT)
    assert (result.verdict, result.score, result.max_score) == (Verdict.PASSED, 6.0, 6.0)
    assert outcome(result, "words").verdict is Verdict.SKIPPED


def test_a_right_answer_is_explained_and_a_wrong_one_gets_its_feedback_instead() -> None:
    assert text(outcome(judge(ALL_RIGHT), "place").message) == "Because of place."
    wrong = outcome(judge({"place": "b"}), "place")
    assert (wrong.verdict, wrong.points, wrong.check) == (Verdict.FAILED, 0.0, "choice")
    assert text(wrong.message) == "got b: too late"


def test_a_partly_right_answer_has_failed_and_earns_its_share() -> None:
    result = judge({**ALL_RIGHT, "scores": [1, 2, 4]})
    partly = outcome(result, "scores")
    assert (partly.verdict, partly.points, partly.max_points) == (Verdict.FAILED, 2.0, 3.0)
    assert (result.verdict, result.score) == (Verdict.FAILED, 5.0)


def test_what_is_no_answer_says_so_and_shows_what_would_be_one() -> None:
    malformed = outcome(judge({**ALL_RIGHT, "scores": [1, 2]}), "scores")
    assert (malformed.verdict, malformed.points) == (Verdict.FAILED, 0.0)
    assert text(malformed.message).startswith("not an answer (expected 3 numbers, got 2 numbers); expected: 3 numbers")


def test_an_unanswered_question_is_skipped_and_keeps_its_points_in_the_maximum() -> None:
    result = judge({"place": "a", "scores": [None, None, ""], "root": "  "})
    assert (result.verdict, result.score, result.max_score) == (Verdict.FAILED, 1.0, 6.0)
    for name in ("scores", "root"):
        assert outcome(result, name).verdict is Verdict.SKIPPED
        assert "not answered" in text(outcome(result, name).message)
    assert text(result.headline) == "1 of 3 answers that the machine judges are right."


def test_the_next_step_is_a_hint_for_the_first_question_that_is_not_right() -> None:
    assert text(judge({**ALL_RIGHT, "root": 3}).next_step) == "Look again at root. A hint: think of 2"
    assert judge(ALL_RIGHT).next_step is None


def test_a_wrong_answer_comes_before_a_question_that_is_open() -> None:
    wrong_later = judge({"scores": None, "place": "b", "root": 3})
    assert text(wrong_later.next_step).startswith("Look again at place")
    assert text(judge({**ALL_RIGHT, "scores": None, "root": 3}).next_step).startswith("Look again at root")
    assert text(judge({**ALL_RIGHT, "root": None}).next_step).startswith("Still open: root")


def test_an_empty_sheet_is_not_submitted() -> None:
    result = judge({})
    assert (result.verdict, result.score, result.max_score) == (Verdict.NOT_SUBMITTED, 0.0, 6.0)
    assert "grader quiz small" in text(result.next_step)


def test_an_unknown_question_is_named_with_the_nearest_one() -> None:
    result = judge({**ALL_RIGHT, "rooot": 1, "zzz": 2})
    details = [text(detail) for detail in result.details]
    assert details == [
        "small.yaml: the quiz has no question rooot; did you mean root?",
        "small.yaml: the quiz has no question zzz",
    ]
    assert result.verdict is Verdict.PASSED


def test_a_sheet_that_cannot_be_read_is_errored_with_its_problems_and_no_judgement() -> None:
    problem = Message("small.yaml:3:1: a problem")
    result = judge_quiz(QUIZ, Response("small.yaml", "small", {}, (problem,)))
    assert (result.verdict, result.score, result.max_score, result.outcomes) == (Verdict.ERRORED, 0.0, 6.0, ())
    assert result.details == (problem,)


def test_a_graded_quiz_without_its_keys_is_not_judged_and_says_why() -> None:
    bare = tuple(replace(q, spec=kind_of(q).without_key()) for q in QUIZ.questions)
    result = judge(ALL_RIGHT, replace(QUIZ, graded=True, questions=bare))
    assert (result.verdict, result.score, result.max_score) == (Verdict.NOT_JUDGED, 0.0, 0.0)
    assert "holds no key" in text(outcome(result, "place").message)
    assert "3" in text(result.headline)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_sheet_has_every_question_and_reads_back_what_was_written_into_it(lang: str, tmp_path: Path) -> None:
    nasty = 'say "yes": #no\n[31m\u202e\\u001b 中文 \\frac{a}{b} \U0001f600 *x &y {z: [1]}'
    answers = {"place": "a", "scores": ["1/√2", 0, -1.5], "root": r"\frac{1}{2}", "words": nasty}
    sheet = answer_sheet(QUIZ, lang, {**answers, "words": f"\x1b{nasty}\x00\x7f\x9b"})
    assert sheet.replace("\n", "").isprintable()
    for q in QUIZ.questions:
        assert say(q.prompt, lang) in sheet
    response = read_answers(sheet.encode(), "small.yaml")
    assert (response.slug, response.problems, dict(response.answers)) == ("small", (), answers)


def test_a_fresh_sheet_has_no_answers_and_shows_the_options() -> None:
    sheet = answer_sheet(QUIZ, "en")
    response = read_answers(sheet, "small.yaml")
    assert (response.slug, response.problems, dict(response.answers)) == ("small", (), {})
    assert "b) after" in sheet
    assert "too late" not in sheet


def test_an_authors_lines_flow_together_without_spaces_in_chinese() -> None:
    assert paragraphs("one\ntwo\n\nthree\n") == ["one two", "three"]
    assert paragraphs("第一行，\nQ 是矩阵。\n第二\n行") == ["第一行，Q 是矩阵。第二行"]


# ---------------------------------------------------------------- the built-in quiz

SELF_TEST = load_quiz(ROOT / "quizzes" / "01_self_test.yaml")


def no_reference(function: str, arguments: Any) -> Any:
    raise AssertionError("keys are held against the reference by `author verify`")


@pytest.mark.parametrize("asked", SELF_TEST.questions, ids=lambda q: q.id)
def test_each_question_of_the_self_test_proves_itself(asked: Question) -> None:
    spec = kind_of(asked)
    alone = spec.model_copy(update={"computed_by": None}) if hasattr(spec, "computed_by") else spec
    assert [text(problem) for problem in check_key(alone, no_reference)] == []
    assert spec.word == "text" or (asked.hints and asked.explanation)


def test_the_self_test_reaches_its_full_score_when_all_that_a_machine_judges_is_right() -> None:
    answers = {q.id: kind_of(q).samples().right[0] for q in SELF_TEST.questions if kind_of(q).word != "text"}
    result = judge_quiz(SELF_TEST, Response("self_test.yaml", "self_test", answers))
    assert (result.verdict, result.score) == (Verdict.PASSED, result.max_score)
    assert result.max_score == 40.0


def test_the_self_test_has_six_groups_with_at_most_one_free_text_each() -> None:
    texts = [q.group for q in SELF_TEST.questions if kind_of(q).word == "text"]
    assert {q.group for q in SELF_TEST.questions} == {"q1", "q2", "q3", "q4", "q5", "q6"}
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scaled_scores", [0.70710678, 0, -0.70710678]),
        ("weights", [0.57597, 0.28400, 0.14003]),
        ("row_sum_after", 0.85997),
        ("weights_masked", [0.66976, 0.33024, 0]),
        ("cosine_ratio", 1.2840254),
        ("head_parameters", 4 * 512 * 512),
    ],
)
def test_keys_of_the_self_test_are_what_a_calculation_gives(name: str, value: Any) -> None:
    spec = kind_of(next(q for q in SELF_TEST.questions if q.id == name))
    assert spec.judge(spec.parse(value)).right


def test_judging_the_self_test_imports_no_torch() -> None:
    code = f"""
import sys
from pathlib import Path
from grader.model import Response
from grader.stages.answers import judge_quiz
from grader.stages.spec import load_quiz
quiz = load_quiz(Path({str(ROOT / "quizzes" / "01_self_test.yaml")!r}))
judge_quiz(quiz, Response("", quiz.slug, {{q.id: (q.spec.samples().right or ("text",))[0] for q in quiz.questions}}))
print(sorted(m for m in ("torch", "jinja2") if m in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ast.literal_eval(done.stdout) == []
