"""The known mistakes: texts for each, and each visible, distinguishable and far from right where an exercise promises it."""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations
from typing import Any

import probes
import pytest
import torch

reference = probes.load_reference()
TEXTS = probes.read("reference_impl/mistakes.yaml")
SLUGS = sorted(probes.exercises())


def said_otherwise(a: Any, b: Any) -> bool:
    """Whether two outcomes are exceptions of torch or Python that differ in what they say first."""
    return isinstance(a, Exception) and str(a).splitlines()[:1] != str(b).splitlines()[:1]


@cache
def outcomes(slug: str, mistake: str | None, dtype: torch.dtype = torch.float64) -> dict[str, Any]:
    """What a mistake, or the right answer, gives in each open case."""
    exercise = probes.exercises()[slug]
    function = reference.FUNCTIONS[exercise["reference"]]
    function = function if mistake is None else probes.wrong(function, mistake)
    cases = [(case, arguments) for case, arguments in probes.calls(exercise, dtype=dtype) if not case.get("hidden")]
    return {case["name"]: outcome for case, outcome in probes.each(function, exercise, cases)}


@cache
def visible(slug: str) -> dict[str, dict[str, Any]]:
    """Every mistake that can be made in an exercise and shows in an open case, with what it gives."""
    right, found = outcomes(slug, None), {}
    for mistake in reference.MISTAKES:
        given = outcomes(slug, mistake)
        applicable = not any(isinstance(outcome, reference.NotApplicable) for outcome in given.values())
        if applicable and not all(probes.same(given[case], right[case]) for case in right):
            found[mistake] = given
    return found


def test_texts_and_steps_have_the_same_ids() -> None:
    assert set(TEXTS) == set(reference.MISTAKES)
    assert len(TEXTS) >= 30


@pytest.mark.parametrize("mistake", sorted(TEXTS))
def test_a_text_says_one_thing_and_asks_one_question_in_both_languages(mistake: str) -> None:
    text = TEXTS[mistake]
    assert set(text) - {"error"} == {"codes", "says", "asks"}
    assert text["codes"]
    assert all(re.fullmatch("[A-Z]{2}[0-9]+", code) for code in text["codes"])
    assert re.fullmatch("[a-z][a-z0-9_]*", mistake)
    for part, end in (("says", ".。"), ("asks", "?？")):
        assert set(text[part]) == {"en", "zh"}
        assert text[part]["en"].endswith(end[0])
        assert text[part]["zh"].endswith(end[1])
        assert re.search("[\u4e00-\u9fff]", text[part]["zh"])
        assert not re.search("[\u4e00-\u9fff]", text[part]["en"])
        # half-width punctuation between Chinese characters is a slip
        assert not re.search("[\u4e00-\u9fff][,;:?!.]", text[part]["zh"])


@pytest.mark.parametrize("mistake", sorted(reference.MISTAKES))
def test_a_mistake_replaces_steps_that_exist(mistake: str) -> None:
    assert probes.wrong(reference.FUNCTIONS["attention"], mistake) is not None
    assert any(mistake in visible_ids for visible_ids in (probes.catches(slug) for slug in SLUGS)), (
        "no exercise promises to catch it"
    )


@pytest.mark.parametrize("slug", SLUGS)
def test_an_exercise_promises_exactly_what_its_open_cases_show(slug: str) -> None:
    assert set(visible(slug)) == probes.catches(slug) - probes.named_by_checks(slug) - probes.without_steps(slug)


@pytest.mark.parametrize("slug", SLUGS)
def test_a_mistake_that_a_check_names_is_promised_and_gives_right_values(slug: str) -> None:
    named = probes.named_by_checks(slug)
    assert named <= probes.catches(slug)
    assert not named & visible(slug).keys()


@pytest.mark.parametrize("mistake", sorted(m for m, text in TEXTS.items() if "error" in text and reference.MISTAKES[m]))
def test_a_mistake_that_is_known_by_its_exception_raises_it(mistake: str) -> None:
    known = TEXTS[mistake]["error"]
    raised = [
        outcome
        for slug in SLUGS
        if mistake in probes.catches(slug)
        for outcome in outcomes(slug, mistake).values()
        if isinstance(outcome, Exception)
    ]
    assert any(type(error).__name__ == known["type"] and re.search(known["text"], str(error)) for error in raised)


@pytest.mark.parametrize("slug", SLUGS)
def test_mistakes_that_are_one_function_are_declared_as_one_group(slug: str) -> None:
    given = visible(slug)
    declared = {
        frozenset(pair)
        for group in probes.exercises()[slug]["catches"]
        if isinstance(group, list)
        for pair in combinations(group, 2)
    }
    alike = {
        frozenset((a, b))
        for a, b in combinations(given, 2)
        if all(probes.same(given[a][case], given[b][case]) for case in given[a])
        and not any(said_otherwise(given[a][case], given[b][case]) for case in given[a])
    }
    assert alike == declared


@pytest.mark.parametrize("slug", SLUGS)
def test_each_mistake_is_ten_times_further_off_than_allowed_in_some_open_case(slug: str) -> None:
    right = outcomes(slug, None)
    for mistake, given in visible(slug).items():
        assert not all(probes.same(given[case], right[case], atol=1e-4, rtol=1e-3) for case in right), mistake


@pytest.mark.parametrize("slug", ["scale_scores", "attention"])
def test_a_mistake_looks_the_same_in_float32_and_float64(slug: str) -> None:
    """Graded calls are float32 and are matched with float64 results: NaN and infinity must lie in the same places."""
    for mistake in probes.catches(slug):
        single, double = outcomes(slug, mistake, torch.float32), outcomes(slug, mistake)
        for case in double:
            assert probes.same(single[case], double[case], atol=1e-3, rtol=1e-3), (mistake, case)
