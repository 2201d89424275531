"""Whatever stands on an answer sheet is judged or refused: never a traceback, never more than a moment, never a heap of memory."""

from __future__ import annotations

import json
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from question_samples import FIELDS, ask, said

from grader.kinds.questions import QUESTIONS, Asked
from grader.locale import say
from grader.model import Question, Quiz, Response, Verdict
from grader.stages.answers import judge_quiz
from grader.stages.sheet import answer_sheet
from grader.stages.spec import read_answers

SECONDS = 2.0  # of CPU for one sheet; most take a millisecond
MEGABYTES = 32

KINDS = sorted(FIELDS)
ENDS = {Verdict.PASSED, Verdict.FAILED, Verdict.NOT_JUDGED, Verdict.NOT_SUBMITTED, Verdict.ERRORED}
BITS = (
    *"()[]{},;:=·√^_@-−ab0Qᵀ×&*!|>#%'\"\\",
    *(
        "\\frac",
        "\\sqrt{",
        "**",
        "softmax(",
        "1e9",
        "1/0",
        "9" * 40,
        "true",
        "false",
        "error",
        "NaN",
        "inf",
        " ",
        "\n",
        "\t",
    ),
    *("对", "错", "，", "；", "（", "）", "０", "🙂", "e\u0301", "\u202e", "\x1b[31m", "\ufffd"),
)
NAMES = ("answer", "reason", "line", "q", "k")

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats()
    | st.text(max_size=40)
    | st.lists(st.sampled_from(BITS), max_size=60).map("".join),
    lambda inner: (
        st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=8) | st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=12,
)


def quiz_of(kind: str) -> tuple[Quiz, Asked]:
    spec = ask(kind, **FIELDS[kind])
    question = Question("one", 1.0, said("?"), spec, hints=(said("h"),), explanation=said("e"))
    return Quiz("fuzzed", said("Fuzzed"), said("."), (question,)), spec


@st.composite
def answers(draw: Callable[..., Any], spec: Asked) -> Any:
    """An answer: anything at all, or one of the question's own samples with pieces put in, taken out and repeated."""
    samples = spec.samples()
    known = [*samples.right, *samples.wrong, *samples.malformed]
    if not known or draw(st.booleans()):
        return draw(PLAIN)
    raw = draw(st.sampled_from(known))
    text = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)
    for _ in range(draw(st.integers(0, 5))):
        at = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 4))
        piece = draw(st.sampled_from(BITS) | st.just(text[at : at + 20]))
        text = text[:at] + piece * draw(st.integers(0, 3)) + text[at + cut :]
    return text[:2000]


def survives(quiz: Quiz, response: Response) -> None:
    """Judge and say everything in both languages, within the caps."""
    start = time.process_time()
    result = judge_quiz(quiz, response)
    assert result.verdict in ENDS
    assert 0.0 <= result.score <= result.max_score <= 1.0
    for outcome in result.outcomes:
        for lang in ("en", "zh"):
            assert outcome.message is None or len(say(outcome.message, lang)) < 6000
    assert time.process_time() - start < SECONDS


def check(kind: str, data: st.DataObject) -> None:
    quiz, spec = quiz_of(kind)
    raw = data.draw(answers(spec))
    survives(quiz, Response("sheet.yaml", quiz.slug, {"one": raw}))
    sheet = answer_sheet(quiz, "en", {"one": raw})  # what the terminal would keep
    response = read_answers(sheet.encode("utf-8", "replace"), "sheet.yaml")
    survives(quiz, response)


def check_text(kind: str, text: str) -> None:
    """The answer as YAML that nobody has quoted."""
    quiz, _ = quiz_of(kind)
    response = read_answers(f"quiz: fuzzed\nanswers:\n  one: {text}\n".encode("utf-8", "replace"), "sheet.yaml")
    assert all(say(problem, "en").startswith("sheet.yaml:") for problem in response.problems)
    survives(quiz, response)


RAW = st.lists(st.sampled_from(BITS) | st.text(max_size=6), max_size=40).map("".join)
QUICK = settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
NIGHTLY = settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck))


def test_every_kind_is_fuzzed() -> None:
    assert set(KINDS) == set(QUESTIONS)


@pytest.mark.parametrize("kind", KINDS)
@QUICK
@given(data=st.data())
def test_any_answer_is_judged_or_refused(kind: str, data: st.DataObject) -> None:
    check(kind, data)


@pytest.mark.parametrize("kind", KINDS)
@settings(QUICK, max_examples=40)
@given(text=RAW)
def test_any_text_on_the_sheet_is_judged_or_refused(kind: str, text: str) -> None:
    check_text(kind, text)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", KINDS)
@NIGHTLY
@given(data=st.data())
def test_any_answer_is_judged_or_refused_nightly(kind: str, data: st.DataObject) -> None:
    check(kind, data)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", KINDS)
@NIGHTLY
@given(text=RAW)
def test_any_text_on_the_sheet_is_judged_or_refused_nightly(kind: str, text: str) -> None:
    check_text(kind, text)


HUGE = {
    "digits": "9" * 60_000,
    "brackets": "(" * 60_000,
    "roots": "√" * 60_000,
    "commas": "," * 60_000,
    "cells": "[" + "1," * 50_000 + "1]",
    "rows": "[" + "[1]," * 5_000 + "[1]]",
    "products": "Q" * 590,
    "powers": "9^8" + "^8" * 180,
    "words": "a " * 60_000,
    "softmax": "softmax(" * 5_000,
    "deep": "[" * 31 + "]" * 31,
    "combining": "e" + "\u0301" * 60_000,
    "full width": "９" * 60_000,
    "latex": "\\frac{1}{" * 60,
    "text": "before after " * 300,
}


def endure(kind: str, name: str) -> None:
    quiz, _ = quiz_of(kind)
    survives(quiz, Response("sheet.yaml", quiz.slug, {"one": HUGE[name]}))
    survives(quiz, read_answers(f"quiz: fuzzed\nanswers:\n  one: {json.dumps(HUGE[name])}\n", "sheet.yaml"))


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_huge_takes_time(kind: str) -> None:
    for name in HUGE:
        endure(kind, name)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", HUGE)
def test_nothing_huge_takes_memory(kind: str, name: str) -> None:
    tracemalloc.start()
    try:
        endure(kind, name)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MEGABYTES * 2**20
