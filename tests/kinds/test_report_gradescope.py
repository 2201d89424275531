"""Gradescope's results.json: its field names, no score at the top, hidden cases held back, and a size that it takes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from report_readers import validate
from report_samples import SECRET, absent, errored, failed, folder, ours, passed, quiz, report, timed_out

from grader.kinds.reports import REPORTS, ReportStyle
from grader.kinds.reports.gradescope import open_side
from grader.model import Outcome, Report, Result, Verdict, message


def made(one: Report, lang: str = "en") -> dict[str, Any]:
    text = REPORTS["gradescope"](one, ReportStyle(lang))
    validate("gradescope", text)
    found: dict[str, Any] = json.loads(text)
    return found


def visible(one: Report, lang: str = "en") -> str:
    """What a learner may read before grades are published."""
    found = made(one, lang)
    return "\n".join(
        [found["output"], *(f"{t['name']}\n{t['output']}" for t in found["tests"] if t["visibility"] == "visible")]
    )


def hidden_only() -> Result:
    """Every visible case passes, the hidden one does not, and the result says so."""
    outcomes = (
        Outcome("one head", "values", Verdict.PASSED, points=5, max_points=5),
        Outcome("long", "values", Verdict.FAILED, hidden=True, max_points=5),
    )
    said = {
        "headline": message(
            "Every visible case passes, but a hidden one does not: the function is not right for all inputs yet."
        ),
        "details": (message("A hidden case raised {type}.", type="IndexError"),),
        "next_step": message("Try sizes, masks and optional arguments of your own that the visible cases do not have."),
        "diagnoses": failed().diagnoses,
    }
    return replace(passed(), verdict=Verdict.FAILED, score=5, outcomes=outcomes, **said)  # type: ignore[arg-type]


def test_every_sample_is_valid_in_both_languages() -> None:
    for lang in ("en", "zh"):
        made(folder(), lang)


def test_there_is_no_score_at_the_top_and_every_test_has_one() -> None:
    found = made(folder())
    assert "score" not in found
    assert all(isinstance(test["score"], (int, float)) for test in found["tests"])


def test_the_scores_of_the_tests_add_up_to_the_report() -> None:
    one = report(passed(), failed(), errored(), timed_out(), quiz(), absent(), ours(), hidden_only())
    tests = made(one)["tests"]
    assert sum(test["score"] for test in tests) == pytest.approx(one.score)
    assert sum(test["max_score"] for test in tests) == pytest.approx(one.max_score)


def test_a_hidden_case_is_shown_when_grades_are_published() -> None:
    tests = {test["name"]: test for test in made(report(failed()))["tests"]}
    held = tests["Masked attention: long"]
    assert (held["visibility"], held["output"], held["status"]) == ("after_published", "values", "failed")
    assert {test["visibility"] for name, test in tests.items() if test is not held} == {"visible"}
    assert SECRET not in json.dumps(list(tests.values()))


def test_visible_text_is_the_same_however_hidden_cases_ended() -> None:
    bad, good = hidden_only(), passed()
    good = replace(good, outcomes=tuple(o for o in good.outcomes if not o.remark))
    assert visible(report(bad)) == visible(report(good))
    for word in ("IndexError", "does not", "√d_k", "10/10", "hidden one"):
        assert word not in visible(report(bad))
    assert "Points for what is visible: 5/5. Hidden cases, shown when grades are published, count 5 more." in visible(
        report(bad)
    )


def test_a_case_that_fails_openly_counts_no_hidden_ones() -> None:
    text = visible(report(failed()))
    assert "1 of 3 cases pass." in text
    assert "The scores were not divided by √d_k." in text
    assert "2.5/7.5" in text
    assert "2.5/10" not in text


def test_fractions_are_rounded_in_what_people_read_and_whole_in_what_is_summed() -> None:
    third = 10 / 3
    outcomes = tuple(
        Outcome(name, "values", Verdict.PASSED, hidden=name == "c", points=third, max_points=third) for name in "abc"
    )
    found = made(report(replace(passed(), outcomes=outcomes)))
    assert "Points for what is visible: 6.67/6.67." in found["output"]
    assert "count 3.33 more" in found["output"]
    assert round(sum(test["score"] for test in found["tests"]), 6) == 10


def test_a_result_without_hidden_cases_is_left_as_it_is() -> None:
    for one in (errored(), timed_out(), quiz(), absent(), ours()):
        assert open_side(one) is one


def test_all_cases_may_be_hidden() -> None:
    one = replace(hidden_only(), outcomes=hidden_only().outcomes[1:], score=0, max_score=5)
    (test,) = made(report(one))["tests"]
    assert (test["visibility"], test["max_score"]) == ("after_published", 5)


def test_what_did_not_pass_is_failed_and_says_why() -> None:
    tests = {test["name"]: test for test in made(report(timed_out(), quiz()))["tests"]}
    assert tests["Scale: small"]["status"] == "failed"
    assert tests["Scale: small"]["output"].startswith("time-out: it did not finish within 5 seconds.")
    assert tests["Scale: large"]["output"] == "not run: not reached"
    assert tests["Self-test: 1c"]["output"] == "waits for a person"
    assert "status" not in tests["Self-test: 1c"]


def test_partial_credit_is_a_number_and_failed() -> None:
    part = next(test for test in made(report(quiz()))["tests"] if test["name"] == "Self-test: 1b")
    assert (part["score"], part["max_score"], part["status"]) == (1, 3, "failed")


def test_what_was_printed_is_under_the_case_that_failed() -> None:
    tests = made(report(failed()))["tests"]
    assert [test["name"] for test in tests if "| hello" in test["output"]] == ["Masked attention: two heads"]


def test_a_huge_report_stays_under_a_megabyte() -> None:
    long = message("{x}", x="注" * 600)
    outcomes = tuple(Outcome(f"case {i}", "values", Verdict.FAILED, max_points=1, message=long) for i in range(150))
    one = replace(failed(), outcomes=outcomes, details=(long,) * 50, printed=("\x1b" * 600 + "\n") * 60, max_score=150)
    text = REPORTS["gradescope"](report(*([one] * 10)), ReportStyle())
    assert len(text.encode()) < 1_000_000
    validate("gradescope", text)
    assert "more characters)" in text


def test_line_ends_are_those_that_gradescope_shows() -> None:
    one = replace(failed(), printed="one\r\ntwo\rthree\n")
    assert "\r" not in json.dumps(made(report(one)))
    assert "| one\n| two\\rthree" in visible(report(one))
