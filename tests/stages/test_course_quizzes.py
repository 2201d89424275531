"""The quizzes of the course: complete in both languages, judged without the reference, linked to exercises, fair to guessers."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.kinds.drawn import DRAWS
from grader.kinds.questions import QUESTIONS, check_key
from grader.locale import say
from grader.model import Question, Quiz, Response, Verdict
from grader.stages.answers import judge_quiz
from grader.stages.draws import drawn
from grader.stages.sheet import answer_sheet, kind_of
from grader.stages.spec import load_quiz, read_answers

ROOT = Path(__file__).parents[2]
QUIZZES = {path.stem: load_quiz(path) for path in sorted((ROOT / "quizzes").glob("*.yaml"))}
ALL = [(quiz, question) for quiz in QUIZZES.values() for question in quiz.questions]

WORD = re.compile(r"(?<![\w.])(?!softmax|torch)[A-Za-z]*[a-z]{4,}")  # of English, not of a formula

every_quiz = pytest.mark.parametrize("quiz", QUIZZES.values(), ids=QUIZZES)
every_question = pytest.mark.parametrize(("quiz", "question"), ALL, ids=[f"{z.slug}-{q.id}" for z, q in ALL])


def no_reference(function: str, arguments: Any, mistake: str | None = None) -> Any:
    raise AssertionError("keys are held against the reference by `author verify`")


def alone(question: Question) -> Any:
    """The question kind without the call of the reference, and without the names of mistakes, which need it."""
    spec = kind_of(question)
    if not hasattr(spec, "computed_by"):
        return spec
    typical = tuple(
        each.model_copy(update={"mistake": None}) for each in getattr(spec, "typical", ()) if hasattr(each, "mistake")
    )
    return spec.model_copy(update={"computed_by": None, **({"typical": typical} if typical else {})})


def texts(part: Any) -> Iterator[dict[str, str]]:
    """Every text in both languages somewhere inside plain data."""
    if isinstance(part, dict):
        if set(part) == {"en", "zh"}:
            yield part
        for inner in part.values():
            yield from texts(inner)
    elif isinstance(part, (list, tuple)):
        for inner in part:
            yield from texts(inner)


def test_there_are_at_least_ninety_questions_of_every_kind() -> None:
    kinds = Counter(kind_of(question).word for _, question in ALL)
    assert sum(kinds.values()) >= 90
    assert set(kinds) == set(QUESTIONS)


@every_question
def test_a_question_proves_itself_without_the_reference(quiz: Quiz, question: Question) -> None:
    for one in (question, *question.draws[::7]):
        assert [say(problem, "en") for problem in check_key(alone(one), no_reference)] == []


@every_question
def test_a_question_has_a_hint_and_says_why_and_where_to_practise(quiz: Quiz, question: Question) -> None:
    assert question.hints
    assert question.explanation or kind_of(question).word == "text"
    if question.practises:
        assert any(
            re.sub(r"^\d+_", "", path.stem) == question.practises for path in (ROOT / "exercises").glob("*.yaml")
        )


@every_question
def test_every_text_is_there_in_both_languages_and_in_their_own_letters(quiz: Quiz, question: Question) -> None:
    said = [question.prompt, *question.hints, *([question.explanation] if question.explanation else [])]
    said += list(texts(kind_of(question).model_dump()))
    for text in said:
        assert text["en"].strip()
        assert text["zh"].strip()
        if text["en"] == text["zh"] or not WORD.search(text["en"]):
            continue  # a formula, a number, a line of code
        assert re.search(r"[\u4e00-\u9fff]", text["zh"]), text["zh"]
        assert not re.search(r"[\u4e00-\u9fff，。；：？]", text["en"]), text["en"]
        assert not re.search(r"[\u4e00-\u9fff][,;:?!](?![\w/])", text["zh"]), f"half-width punctuation: {text['zh']}"


@every_question
def test_no_place_for_a_value_is_left_open(quiz: Quiz, question: Question) -> None:
    for one in question.draws:
        said = [
            one.prompt,
            *one.hints,
            *([one.explanation] if one.explanation else []),
            *texts(kind_of(one).model_dump()),
        ]
        assert not [text for text in said if re.search(r"\{(key|[a-z])\}", text["en"] + text["zh"])]


@every_quiz
def test_right_answers_reach_the_full_score_in_every_draw(quiz: Quiz) -> None:
    for draw in (0, 7, DRAWS - 1, DRAWS + 3):
        asked = drawn(quiz, draw)
        answers = {q.id: (kind_of(q).samples().right or ("some text",))[0] for q in asked.questions}
        result = judge_quiz(quiz, Response("x.yaml", quiz.slug, answers, draw=draw))
        machine = [q for q in quiz.questions if kind_of(q).word != "text"]
        assert result.verdict is (Verdict.PASSED if machine else Verdict.NOT_JUDGED)
        assert result.score == result.max_score == sum(q.points for q in machine)


@every_quiz
def test_a_sheet_remembers_its_draw_and_reads_back(quiz: Quiz) -> None:
    for lang in ("en", "zh"):
        sheet = answer_sheet(quiz, lang, draw=13)
        response = read_answers(sheet.encode(), "sheet.yaml")
        assert (response.problems, dict(response.answers)) == ((), {})
        assert response.draw == (13 if any(q.draws for q in quiz.questions) else 0)
        assert all(q.id in sheet for q in quiz.questions)


def test_learners_get_different_numbers_from_different_draws() -> None:
    varied = [question for _, question in ALL if question.draws]
    assert len(varied) >= 10
    for question in varied:
        assert len(question.draws) == DRAWS
        assert len({say(one.prompt, "en") for one in question.draws}) > 4


def test_no_letter_is_a_good_guess() -> None:
    letters = Counter(
        getattr(kind_of(q), name)
        for _, q in ALL
        for name in ("key", "reason")
        if isinstance(getattr(kind_of(q), name, None), str) and len(getattr(kind_of(q), name)) == 1
    )
    assert sum(letters.values()) > 50
    assert max(letters.values()) < 0.45 * sum(letters.values())


def test_judging_every_quiz_imports_no_torch() -> None:
    code = f"""
import sys
from pathlib import Path
from grader.model import Response
from grader.stages.answers import judge_quiz
from grader.stages.spec import load_quiz
for path in sorted(Path({str(ROOT / "quizzes")!r}).glob("*.yaml")):
    quiz = load_quiz(path)
    judge_quiz(quiz, Response("", quiz.slug, {{q.id: (q.spec.samples().right or ("text",))[0] for q in quiz.questions}}))
print(sorted(m for m in ("torch", "jinja2") if m in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ast.literal_eval(done.stdout) == []
