"""A quiz proves itself: against the reference, against its own code, and over two hundred draws of numbers that vary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.author.calls import caller
from grader.author.draws import freeze
from grader.author.quizzes import verify_quiz
from grader.kinds.drawn import stored
from grader.kinds.questions import CallReference, NoSuchCall
from grader.locale import say
from grader.model import AuthorError, GraderError
from grader.stages.expect import load_reference
from grader.stages.sheet import kind_of
from grader.stages.spec import load_quiz
from grader.stages.spec.variants import draws_file, keyless, read_draws

ROOT = Path(__file__).parents[2]

QUIZ = """\
title: {en: Small, zh: 小测}
intro: {en: Two., zh: 两题。}
questions:
  - id: scaled
    kind: numbers
    points: 2
    prompt: {en: "Scores {s}, d_k = {d}. Scale them.", zh: "分数 {s}，d_k = {d}。缩放。"}
    hints: [{en: Divide., zh: 除。}]
    practises: scale_scores
    varies:
      values: {s: {whole: [-9, 9], shape: [3]}, d: {one_of: [4, 9, 16]}}
      apart: 0.1
    computed_by: {function: scale_scores, arguments: {scores: ["{s}"], d_k: "{d}"}, take: [0]}
    typical:
      - mistake: unscaled
        feedback: {en: "Not divided by √{d}.", zh: "没有除以 √{d}。"}
    explanation: {en: "It is {key}.", zh: "答案是 {key}。"}
  - id: run
    kind: predict
    points: 1
    prompt: {en: "What?", zh: 什么？}
    hints: [{en: Look., zh: 看。}]
    practises: output_shapes
    code: torch.zeros(2, 3).T.shape
    asks: shape
    key: [3, 2]
    explanation: {en: Turned., zh: 转置。}
"""


@pytest.fixture(scope="module")
def call() -> CallReference:
    return caller(load_reference(ROOT))


def made(folder: Path, call: CallReference, text: str = QUIZ) -> Path:
    path = folder / "01_small.yaml"
    path.write_text(text, encoding="utf-8")
    draws_file(path).write_text(freeze(path, call) or "", encoding="utf-8")
    return path


def broken(path: Path, call: CallReference) -> list[str]:
    """What the proofs that do not hold say."""
    proofs = list(verify_quiz(load_quiz(path, path.name), call, path.parent))
    assert proofs
    return [say(proof.why, "en") for proof in proofs if not proof.holds and proof.why]


def test_a_sound_quiz_holds(tmp_path: Path, call: CallReference) -> None:
    path = made(tmp_path, call)
    assert broken(path, call) == []
    question = load_quiz(path).questions[0]
    first: Any = question.draws[0].spec
    assert len(question.draws) == 20
    assert first.judge(first.parse(list(first.key))).right
    assert "Not divided by √" in say(first.judge(first.parse(list(first.typical[0].value))).feedback[0], "en")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("key: [3, 2]", "key: [2, 3]", "run: the code gives [3, 2], the key says [2, 3]"),
        ("torch.zeros(2, 3).T.shape", "torch.zeros(2, 3).T.shapes", "run: the code raises AttributeError"),
        ("    key: [3, 2]", "    error: RuntimeError", "run: the code does not raise RuntimeError"),
        ("    hints: [{en: Look., zh: 看。}]\n", "", "run: there is no hints"),
        ("    practises: output_shapes\n", "", "run: there is no practises"),
    ],
)
def test_each_broken_promise_is_named(tmp_path: Path, call: CallReference, old: str, new: str, why: str) -> None:
    assert old in QUIZ
    found = broken(made(tmp_path, call, QUIZ.replace(old, new)), call)
    assert any(why in said for said in found), found


def test_a_key_that_the_reference_does_not_give_is_named(tmp_path: Path, call: CallReference) -> None:
    fixed = QUIZ.replace(
        "    varies:\n      values: {s: {whole: [-9, 9], shape: [3]}, d: {one_of: [4, 9, 16]}}\n      apart: 0.1\n", ""
    )
    fixed = (
        fixed.replace('["{s}"]', "[[4, 2, -2]]")
        .replace('"{d}"', "4")
        .replace("      - mistake: unscaled\n", "      - value: [4, 2, -2]\n        mistake: unscaled\n")
    )
    path = tmp_path / "01_small.yaml"
    path.write_text(fixed.replace("    typical:\n", "    key: [2, 1, -1]\n    typical:\n"), encoding="utf-8")
    assert broken(path, call) == []
    path.write_text(fixed.replace("    typical:\n", "    key: [2, 1, 1]\n    typical:\n"), encoding="utf-8")
    assert any("scale_scores of the reference gives" in said for said in broken(path, call))


def test_draws_that_are_missing_or_of_other_ranges_are_an_authors_error(tmp_path: Path, call: CallReference) -> None:
    path = made(tmp_path, call)
    path.write_text(QUIZ.replace("[4, 9, 16]", "[4, 9, 25]"), encoding="utf-8")
    with pytest.raises(AuthorError, match="grader author freeze"):
        load_quiz(path)
    draws_file(path).unlink()
    with pytest.raises(AuthorError, match="its draws are not frozen"):
        load_quiz(path)
    draws_file(path).write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(AuthorError, match="its draws are not frozen"):
        load_quiz(path)


def test_a_learners_copy_of_a_graded_quiz_has_the_numbers_and_no_keys(tmp_path: Path, call: CallReference) -> None:
    path = made(tmp_path, call)
    question = load_quiz(path).questions[0]
    text = QUIZ[: QUIZ.index("    computed_by")] + "    explanation: {en: Later., zh: 稍后。}\n"
    path.write_text(text.replace("questions:", "graded: true\nquestions:"), encoding="utf-8")
    draws_file(path).write_text(stored(keyless(read_draws(path))), encoding="utf-8")
    assert "key" not in draws_file(path).read_text(encoding="utf-8")
    copied = load_quiz(path).questions[0]
    assert [one.prompt for one in copied.draws] == [one.prompt for one in question.draws]
    assert not any(kind_of(one).has_key for one in copied.draws)


def test_draws_that_somebody_edited_do_not_hold(tmp_path: Path, call: CallReference) -> None:
    path = made(tmp_path, call)
    file = draws_file(path)
    text = file.read_text(encoding="utf-8")
    at = text.index('"key": [') + len('"key": [')
    file.write_text(f"{text[:at]}77, {text[text.index(',', at) + 2 :]}", encoding="utf-8")
    assert len(broken(path, call)) >= 1


def test_wrong_answers_that_equal_the_key_are_never_drawn(tmp_path: Path, call: CallReference) -> None:
    with pytest.raises(GraderError, match="no fair draw"):
        made(tmp_path, call, QUIZ.replace("one_of: [4, 9, 16]", "one_of: [1, 1]"))


def test_ranges_that_are_mostly_unfair_do_not_hold(tmp_path: Path, call: CallReference) -> None:
    path = made(tmp_path, call, QUIZ.replace("apart: 0.1", "apart: 2.0"))
    assert any("narrow the ranges" in said for said in broken(path, call))


def test_what_the_reference_cannot_tell_is_said_and_not_raised(call: CallReference) -> None:
    for function, arguments, mistake in (
        ("no_such", {}, None),
        ("scale_scores", {}, "no_such"),
        ("scale_scores", {"wrong": 1}, None),
    ):
        with pytest.raises(NoSuchCall):
            call(function, arguments, mistake)


def test_a_practice_quiz_with_a_question_without_a_key_is_an_authors_error(tmp_path: Path) -> None:
    path = tmp_path / "01_small.yaml"
    text = "title: {en: T, zh: 题}\nintro: {en: I, zh: 介}\nquestions:\n  - {id: a, kind: number, points: 1, prompt: {en: Q, zh: 问}}\n"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(AuthorError, match=r"questions\[0\]: it has no key"):
        load_quiz(path)
    path.write_text(text.replace("questions:", "graded: true\nquestions:"), encoding="utf-8")
    assert load_quiz(path).graded
