"""Every question kind reads answers, tells malformed from wrong, gives credit by its rule, and can be had without its key."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from question_samples import FIELDS, ask, option, said

from grader.kinds.questions import QUESTIONS, Judgement, NotAnAnswer, check_key
from grader.locale import say

KINDS = sorted(FIELDS)


def no_reference(function: str, arguments: Any) -> Any:
    raise AssertionError(f"nothing here asks the reference, {function} least of all")


def judged(kind: str, raw: Any, **changes: Any) -> Judgement:
    question = ask(kind, **{**FIELDS[kind], **changes})
    return question.judge(question.parse(raw))


def told(judgement: Judgement) -> str:
    return " ".join(say(text, "en") for text in judgement.feedback)


def refused(kind: str, raw: Any, **changes: Any) -> str:
    question = ask(kind, **{**FIELDS[kind], **changes})
    with pytest.raises(NotAnAnswer) as caught:
        question.parse(raw)
    return say(caught.value.why, "en")


def test_every_word_has_a_sample_here() -> None:
    assert set(QUESTIONS) == set(FIELDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_proves_itself_with_its_own_samples(kind: str) -> None:
    question = ask(kind, **FIELDS[kind])
    assert question.word == kind
    assert check_key(question, no_reference) == []
    assert question.samples().malformed
    assert kind == "text" or (question.samples().right and question.samples().wrong)


@pytest.mark.parametrize("kind", KINDS)
def test_without_its_key_a_question_still_asks_and_reads_but_does_not_judge(kind: str) -> None:
    question = ask(kind, **FIELDS[kind])
    bare = question.without_key()
    assert not bare.has_key
    assert bare.form() == question.form()
    raw = (question.samples().right or ("some text",))[0]
    assert not bare.judge(bare.parse(raw)).judged
    assert bare.samples().right == ()
    dumped = bare.model_dump_json(exclude_none=True)
    for key in ("feedback", "divided by d_k", "Before, because"):
        assert key not in dumped or json.loads(dumped).get(key, {}) == {}
    again = type(question).model_validate_json(dumped)
    assert again == bare


@pytest.mark.parametrize("kind", KINDS)
def test_the_form_says_how_to_answer_in_both_languages_and_its_example_can_be_read(kind: str) -> None:
    form = ask(kind, **FIELDS[kind]).form()
    assert say(form.accepts, "en")
    assert say(form.accepts, "zh")
    assert form.example


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40, deadline=None)
@given(
    raw=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
        max_leaves=8,
    )
)
def test_whatever_a_sheet_holds_is_judged_or_refused(kind: str, raw: Any) -> None:
    question = ask(kind, **FIELDS[kind])
    try:
        judgement = question.judge(question.parse(raw))
    except NotAnAnswer:
        return
    assert 0.0 <= judgement.fraction <= 1.0
    assert all(say(text, "zh") for text in judgement.feedback)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("huge", [10**5000, [10**5000], {"answer": 10**5000}, "9" * 5000, [[[[[1]]]]]], ids=range(5))
def test_nothing_huge_gets_past_reading(kind: str, huge: Any) -> None:
    assert len(refused(kind, huge)) < 1000


# ---------------------------------------------------------------- choosing


@pytest.mark.parametrize("raw", ["a", "A", " a) ", "(a)", "ａ", "a."])
def test_a_letter_is_read_in_any_dress(raw: str) -> None:
    assert judged("choice", raw).right


def test_a_wrong_option_is_answered_with_its_own_feedback() -> None:
    assert told(judged("choice", "b")) == "too late"


@pytest.mark.parametrize(
    ("credit", "raw", "share"),
    [
        ("net", "a", 0.5),
        ("net", "a, b, c", 0.5),
        ("net", "a, b, c, d", 0.0),
        ("net", "c", 0.0),
        ("each", "a", 0.75),
        ("each", "c, d", 0.0),
        ("all", "a", 0.0),
        ("all", "b a", 1.0),
        ("net", "ba", 1.0),
        ("net", "[a, b]", 1.0),
        ("net", "a、b", 1.0),
    ],
)
def test_choices_give_credit_by_the_stated_rule(credit: str, raw: str, share: float) -> None:
    assert judged("choices", raw, credit=credit).fraction == pytest.approx(share)


def test_choices_name_each_wrong_one_and_count_the_missing_ones() -> None:
    feedback = told(judged("choices", ["a", "d"]))
    assert "(d) never" in feedback
    assert "missing: 1" in feedback


@pytest.mark.parametrize("raw", [False, "false", "错", "不对", "F"])
def test_a_verdict_is_read_in_both_languages(raw: Any) -> None:
    assert judged("true_false", {"answer": raw, "reason": "a"}).right


def test_half_the_points_are_for_the_verdict_and_the_reason_counts_only_with_it() -> None:
    assert judged("true_false", "false b").fraction == 0.5
    assert judged("true_false", "true a").fraction == 0.0
    assert judged("true_false", "{answer: false, reason: a}").right
    assert "reason is missing" in refused("true_false", False)


def test_a_wrong_option_without_feedback_is_an_authors_error() -> None:
    with pytest.raises(ValidationError, match="needs feedback"):
        ask("choice", options={"a": option("right"), "b": option("wrong")}, key="a")
    with pytest.raises(ValidationError, match="not one of the options"):
        ask("choice", options={"a": option("right"), "b": option("wrong", "no")}, key="c")


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    "raw",
    [
        0.70711,
        "0.7071",
        "7.071e-1",
        "1/√2",
        "√2/2",
        "1/sqrt(2)",
        r"\frac{1}{\sqrt{2}}",
        r"\frac1{\sqrt2}",
        "2^{-1/2}",
        "2**-0.5",
        "０．７０７１",
        "≈ 0.7071",
        "= 1/√2",
        "约 0.7071",
        "70.71%",
        "exp(-0.34657359)",
        "0.5·√2",
        "+.7071",
    ],
)
def test_a_number_is_read_however_it_is_written(raw: Any) -> None:
    assert judged("number", raw).right


@pytest.mark.parametrize(
    ("raw", "hint"),
    [
        ("0,7071", "decimal point"),
        ("1/0", "divides by zero"),
        ("9^9^9", "cannot stand here"),
        ("nan", "unknown"),
        (True, "expected a number"),
        ("0.7 07", "not read as a number"),
        (float("inf"), "not a finite number"),
        ("9" * 700, "at most 600"),
        ([0.7, 0.7], "expected a number"),
    ],
)
def test_what_is_no_number_is_not_an_answer_and_says_why(raw: Any, hint: str) -> None:
    assert hint in refused("number", raw)


def test_a_typical_wrong_number_has_its_own_feedback_and_near_misses_ask_for_digits() -> None:
    assert told(judged("number", 0.5)) == "divided by d_k"
    assert "more digits" in told(judged("number", 0.707))
    assert "sign" in told(judged("number", "-1/√2"))


def test_an_exact_number_accepts_groups_of_digits_but_nothing_beside_it() -> None:
    exact = {"key": "4·512^2", "tolerance": 0, "typical": []}
    assert judged("number", "1,048,576", **exact).right
    assert judged("number", 2**20, **exact).right
    assert not judged("number", 2**20 + 1, **exact).right


def test_a_key_that_the_reference_does_not_give_is_a_problem() -> None:
    source = {"function": "double", "arguments": {"x": [[1, 2]]}, "take": [0, 1]}
    question = ask("number", key=4, computed_by=source)
    assert check_key(question, lambda function, arguments: 2 * arguments["x"]) == []
    problems = check_key(question, lambda function, arguments: 3 * arguments["x"])
    assert "double of the reference gives" in say(problems[0], "en")


def test_a_typical_value_that_passes_for_the_key_is_a_problem() -> None:
    question = ask("number", key=0.5, typical=[{"value": 0.5001, "feedback": said("?")}])
    assert "too close" in say(check_key(question, no_reference)[0], "en")


@pytest.mark.parametrize(
    "raw",
    [
        [0.7071, 0, -0.7071],
        ["1/√2", 0, "-1/√2"],
        "0.7071, 0, -0.7071",
        "(1/√2, 0, −1/√2)",
        "[0.7071 0 -0.7071]",
        "0.7071；0；-0.7071".replace("；", ","),
        "０．７０７１，０，－０．７０７１",
        r"\begin{pmatrix} 0.7071 & 0 & -0.7071 \end{pmatrix}",
        "torch.tensor([0.7071, 0.0, -0.7071])",
        "s = [0.7071, 0, -0.7071]",
    ],
)
def test_a_vector_is_read_however_it_is_written(raw: Any) -> None:
    assert judged("numbers", raw).right


def test_each_cell_earns_its_share_and_blank_ones_none() -> None:
    assert judged("numbers", [0.7071, 0, 0.5]).fraction == pytest.approx(2 / 3)
    assert judged("numbers", [0.7071, None, "?"]).fraction == pytest.approx(1 / 3)
    assert "at 3" in told(judged("numbers", [0.7071, 0, 0.5]))


@pytest.mark.parametrize(
    ("key", "raw", "hint"),
    [
        ([[1, 2], [3, 4]], [[1, 3], [2, 4]], "transposition"),
        ([1, 2, 3], [-1, -2, -3], "sign"),
        ([1, 2, 3], [3, 1, 2], "another order"),
        ([0.2, 0.3, 0.5], [2, 3, 5], "add up to 10"),
        ([1, 2, 3], [2, 4, 6], "2 times as large"),
    ],
)
def test_numbers_that_are_nearly_right_are_told_in_what_way(key: Any, raw: Any, hint: str) -> None:
    judgement = judged("numbers", raw, key=key, cells=None, typical=[])
    assert not judgement.right
    assert hint in told(judgement)


def test_the_wrong_count_is_no_answer_where_the_form_states_it_and_wrong_where_not() -> None:
    assert "expected 3 numbers, got 2" in refused("numbers", [1, 2])
    assert "got 2 numbers, expected 3" in told(judged("numbers", [1, 2], cells=None))


# ---------------------------------------------------------------- shapes


@pytest.mark.parametrize(
    "raw",
    [
        ["B", "h", "n", "d_k"],
        "(B, h, n, d_k)",
        "B×h×n×d_k",
        "B x h x n x dₖ",
        "（B，h，n，d_k）",
        "(B, H, n, d_model/h)",
        r"(B, h, n, \frac{d_{model}}{h})",
        "torch.Size([B, h, n, d_k])",
        "[B, h, n, d_model // h]".replace("//", "/"),
    ],
)
def test_a_shape_is_read_however_it_is_written_and_equal_axes_are_equal(raw: Any) -> None:
    assert judged("shape", raw).right


def test_each_axis_earns_its_share_and_wrong_ones_are_named() -> None:
    judgement = judged("shape", "(B, h, n, d_model)")
    assert judgement.fraction == 0.75
    assert "4 (d_model)" in told(judgement)
    assert told(judged("shape", "(B, n, h, d_k)")) == "before the transpose"
    assert "another order" in told(judged("shape", "(h, B, n, d_k)"))
    assert "got 3 axes, expected 4" in told(judged("shape", "(B, h, n)"))


@pytest.mark.parametrize(
    ("raw", "hint"), [("(B, h, m, d_k)", "unknown 'm'"), ("(B,, h)", "missing"), ([0], "1 or more"), ("", "a shape")]
)
def test_what_is_no_shape_says_why(raw: Any, hint: str) -> None:
    assert hint in refused("shape", raw)


def test_a_shape_in_numbers_takes_numbers_only() -> None:
    fields = {"symbols": [], "where": {}, "aliases": {}, "key": [5, 7], "typical": []}
    assert judged("shape", "5×7", **fields).right
    assert judged("shape", [5, 7], **fields).right
    assert judged("shape", "(7, 5)", **fields).fraction == 0.0
    assert "unknown" in refused("shape", "(n, 7)", **fields)


# ---------------------------------------------------------------- arranging, lines, text


def test_an_order_may_have_equals_and_names_what_is_too_early() -> None:
    assert judged("order", "c > d > b > a").right
    assert told(judged("order", ["c", "b", "d", "a"])) == "fine when the mask is 0 and −∞"
    assert told(judged("order", "cdab")) == "mask before softmax"
    assert judged("order", "cdab", credit="pairs").fraction == pytest.approx(5 / 6)
    assert "every item once" in refused("order", "cda")


def test_an_order_that_is_listed_rightly_already_is_an_authors_error() -> None:
    with pytest.raises(ValidationError, match="given away"):
        ask("order", items={"a": "one", "b": "two"}, key=["a", "b"])


def test_each_pair_earns_its_share_and_wrong_ones_say_why() -> None:
    assert judged("match", "q=1, k=2, v=3").right
    assert judged("match", "{q: 1, k: 2, v: 3}").right
    judgement = judged("match", {"q": 1, "k": "3", "v": "2"})
    assert judgement.fraction == pytest.approx(1 / 3)
    assert told(judgement) == "(k) it is found (v) it is returned"
    assert "nothing is matched with v" in refused("match", {"q": 1, "k": 2})


def test_a_line_and_its_reason_are_half_the_points_each() -> None:
    assert judged("line", "2 a").right
    assert judged("line", {"line": 2, "reason": "b"}).fraction == 0.5
    assert told(judged("line", "1 a")) == "the transpose is right"
    assert "3 is right" in told(judged("line", "3 a"))
    assert "1 to 3" in refused("line", "4 a")


def test_a_text_is_never_judged_by_the_machine() -> None:
    judgement = judged("text", "After, because it must come before.")
    assert (judgement.judged, judgement.right, judgement.fraction) == (False, False, 0.0)
    assert "Before, because" in told(judgement)


def test_a_wrong_number_is_not_repeated_by_its_feedback() -> None:
    judged = QUESTIONS["number"].model_validate({"key": 5}).judge(3.0)
    said = say(judged.feedback[0], "en"), say(judged.feedback[0], "zh")
    assert said == ("that is not the value", "不是这个值")
