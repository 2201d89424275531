"""Free text is read for what it asserts against itself: a hint and a mark, never a verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.kinds.questions.contradiction import asserted
from grader.locale import say
from grader.model import Verdict
from grader.stages.answers import judge_question
from grader.stages.sheet import kind_of
from grader.stages.spec import load_quiz

QUIZ = load_quiz(Path(__file__).parents[2] / "quizzes" / "01_self_test.yaml")
MASK = next(question for question in QUIZ.questions if question.id == "mask_in_words")

AGAINST_THEMSELVES = (
    "After. The blocked scores have to be minus infinity before softmax runs.",
    "After softmax, because the exponential of a blocked score must be 0.",
    "You mask after softmax so that the weights become zero.",
    "It goes after softmax; then each row is a distribution over what is left.",
    "It makes no difference, softmax normalises anyway.",
    "Before softmax: multiply the weights by 0 and softmax does the rest.",
    "之后。因为要让被屏蔽的位置没有概率，必须先把分数设成负无穷。",
    "在 softmax 之后，把权重清零即可。",
    "应放在 softmax 之后，这样概率为零。",
    "前后没有区别，反正都会归一化。",
    "在 softmax 之前，把权重乘以 0。",
)
SOUND = (
    "Before: a score of minus infinity has the exponential 0, and the row still adds up to 1.",
    "Before softmax. If one masked after softmax, the blocked keys would have taken their share already.",
    "Before, not after: zeroing later leaves rows that add up to less than 1.",
    'Somebody who says "mask after softmax" forgets that the weight is spent by then. It is done before.',
    "The scores are filled before softmax, since multiplying later would shrink the output.",
    "It is never applied after softmax, always before.",
    "Suppose we mask after softmax. Then the sum is 0.86, so it must be done before.",
    "之前。分数为负无穷时指数为 0，整行之和仍为 1。",
    "在 softmax 之前。如果放在 softmax 之后，被屏蔽的 key 已经占走了一份。",
    "必须在之前，而不是在 softmax 之后加掩码，否则每行之和小于 1。",
    "有人说“在 softmax 之后加掩码”，那样权重已经分完了，所以应在之前。",
    "不能在 softmax 之后屏蔽，要在之前把分数设为负无穷。",
)


@pytest.mark.parametrize("answer", AGAINST_THEMSELVES)
def test_what_speaks_against_itself_is_pointed_out_and_marked_for_the_reader(answer: str) -> None:
    outcome = judge_question(MASK, answer)
    assert outcome.verdict is Verdict.NOT_JUDGED
    assert outcome.points == 0.0
    assert len(outcome.flags) >= 1
    assert say(outcome.flags[0], "en") in say(outcome.message, "en")  # type: ignore[arg-type]


@pytest.mark.parametrize("answer", SOUND)
def test_what_is_only_supposed_quoted_or_denied_is_not(answer: str) -> None:
    assert judge_question(MASK, answer).flags == ()


@pytest.mark.parametrize("answer", [*AGAINST_THEMSELVES, *SOUND])
def test_a_flag_never_decides_about_points(answer: str) -> None:
    judgement = kind_of(MASK).judge(answer)
    assert (judgement.judged, judgement.fraction) == (False, 0.0)


def test_a_phrase_may_leave_words_out_begin_the_text_or_end_its_clause() -> None:
    assert asserted("The mask is, as usual, put on top after softmax.", ["put … after softmax"])
    assert asserted("after", ["^after$"])
    assert not asserted("It comes after", ["^after"])
    assert not asserted("After softmax the row adds up to 0.6", ["^after$"])
    assert not asserted("put before. softmax is after softmax", ["put … after"])


def test_an_endless_answer_is_read_in_no_time() -> None:
    text = "after " * 600 + ("not " * 200 + "softmax, ") * 20
    assert asserted(text[:4000], ["mask … after softmax … weights", "no difference"]) is None
