"""JUnit XML: valid, honest about failed, errored and skipped, and it says what a test cost."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from report_readers import JUNIT
from report_samples import absent, errored, failed, folder, ours, passed, quiz, report, timed_out

from grader.kinds.reports import REPORTS, ReportStyle
from grader.model import Outcome, Result, Verdict


def suites(*results: Result, lang: str = "en") -> list[ET.Element]:
    text = REPORTS["junit"](report(*results), ReportStyle(lang))
    JUNIT.validate(text)
    return list(ET.fromstring(text))


def endings(suite: ET.Element) -> dict[str, str]:
    return {test.get("name", ""): test[0].tag if len(test) else "passed" for test in suite.iter("testcase")}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_sample_is_valid(lang: str) -> None:
    JUNIT.validate(REPORTS["junit"](folder(), ReportStyle(lang, started=1.75e9, stopped=1.75e9)))
    JUNIT.validate(REPORTS["junit"](report(), ReportStyle(lang)))


def test_failed_errored_and_skipped_are_three_things() -> None:
    wrong, late, answers = suites(failed(), timed_out(), quiz())
    assert endings(wrong) == {"one head": "passed", "two heads": "failure", "broad": "failure", "long": "failure"}
    assert endings(late) == {"small": "error", "large": "skipped"}
    assert endings(answers) == {"1a": "passed", "1b": "failure", "1c": "skipped"}


def test_a_result_without_cases_is_one_test() -> None:
    syntax, missing, fault = suites(errored(), absent(), ours())
    assert endings(syntax) == {"causal_mask": "error"}
    assert endings(missing) == {"output_shapes": "failure"}
    assert endings(fault) == {"softmax": "error"}
    assert fault.find(".//error").get("type") == "grader_error"  # type: ignore[union-attr]


@pytest.mark.parametrize("verdict", list(Verdict))
def test_every_verdict_has_its_ending(verdict: Verdict) -> None:
    outcome = Outcome("only", "contract", verdict, max_points=1)
    (suite,) = suites(Result("exercise", "one", {"en": "One"}, Verdict.FAILED, 0, 1, (outcome,)))
    expected = {
        "passed": "passed",
        "failed": "failure",
        "not_submitted": "failure",
        "skipped": "skipped",
        "not_judged": "skipped",
    }
    assert endings(suite) == {"only": expected.get(verdict.value, "error")}


def test_a_question_that_was_not_answered_fails_since_it_costs_points() -> None:
    outcome = Outcome("1a", "number", Verdict.SKIPPED, max_points=2)
    (suite,) = suites(Result("quiz", "recall", {"en": "Recall"}, Verdict.FAILED, 0, 2, (outcome,)))
    assert endings(suite) == {"1a": "failure"}


def test_the_counts_are_those_of_the_tests() -> None:
    for suite in suites(passed(), failed(), errored(), timed_out(), quiz(), absent(), ours()):
        tags = [test[0].tag if len(test) else "" for test in suite.iter("testcase")]
        assert suite.get("tests") == str(len(tags))
        assert suite.get("failures") == str(tags.count("failure"))
        assert suite.get("errors") == str(tags.count("error"))
        assert suite.get("skipped") == str(tags.count("skipped"))


def test_the_message_says_what_it_cost_and_the_text_says_why() -> None:
    (suite,) = suites(failed())
    found = {test.get("name"): test[0] for test in suite.iter("testcase") if len(test)}
    assert found["broad"].get("message") == "shape: got (B, T, E), expected (B, T, D) (0/2.5 points)"
    assert found["long"].get("message") == "hidden case: values (0/2.5 points)"
    assert "The scores were not divided by √d_k." in (found["two heads"].text or "")
    assert not found["broad"].text
    assert {p.get("name"): p.get("value") for p in suite.iter("property")}["points"] == "2.5/10"


def test_the_type_is_the_check_that_failed_or_the_verdict() -> None:
    wrong, late = suites(failed(), timed_out())
    assert [failure.get("type") for failure in wrong.iter("failure")] == ["values", "shape", "values"]
    assert [error.get("type") for error in late.iter("error")] == ["timed_out"]


def test_what_was_printed_is_on_standard_output_alone() -> None:
    (suite,) = suites(failed())
    assert suite.findtext("system-out") == "scores tensor([[1., 2.]])\nhello"
    assert suite.findtext("system-err") == ""


def test_only_the_timestamp_depends_on_the_clock() -> None:
    early, late = (REPORTS["junit"](folder(), ReportStyle(started=at, stopped=at + 9)) for at in (1.75e9, 1.76e9))
    assert early != late
    assert early.replace("2025-06-15T15:06:40", "T") == late.replace("2025-10-09T08:53:20", "T")
