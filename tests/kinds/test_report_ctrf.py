"""CTRF: what the specification asks for, whole numbers for times, and points where it has room for them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from report_readers import validate
from report_samples import absent, errored, failed, folder, ours, passed, quiz, report, timed_out

from grader.kinds.reports import REPORTS, ReportStyle
from grader.model import Result


def made(*results: Result, style: ReportStyle = ReportStyle()) -> dict[str, Any]:  # noqa: B008 (frozen)
    text = REPORTS["ctrf"](report(*results), style)
    validate("ctrf", text)
    found: dict[str, Any] = json.loads(text)["results"]
    return found


def test_every_sample_is_valid_in_both_languages() -> None:
    for lang in ("en", "zh"):
        validate("ctrf", REPORTS["ctrf"](folder(), ReportStyle(lang)))
        validate("ctrf", REPORTS["ctrf"](report(), ReportStyle(lang)))


def test_the_status_is_one_of_five_and_the_verdict_is_kept() -> None:
    tests = made(passed(), failed(), errored(), timed_out(), quiz(), absent(), ours())["tests"]
    found = {(test["rawStatus"], test["status"]) for test in tests}
    assert found == {
        ("passed", "passed"),
        ("failed", "failed"),
        ("errored", "failed"),
        ("timed_out", "failed"),
        ("skipped", "skipped"),
        ("not_judged", "pending"),
        ("not_submitted", "failed"),
        ("grader_error", "other"),
    }


def test_the_summary_counts_the_tests() -> None:
    found = made(passed(), failed(), errored(), timed_out(), quiz(), absent(), ours())
    statuses = [test["status"] for test in found["tests"]]
    for status in ("passed", "failed", "skipped", "pending", "other"):
        assert found["summary"][status] == statuses.count(status)
    assert found["summary"]["tests"] == len(statuses)


def test_points_are_extra_and_add_up() -> None:
    found = made(passed(), failed(), quiz(), absent())
    assert sum(test["extra"]["points"] for test in found["tests"]) == pytest.approx(15.5)
    assert sum(test["extra"]["max_points"] for test in found["tests"]) == pytest.approx(30)
    assert found["summary"]["extra"] == {"score": 15.5, "max_score": 30, "not_judged": 1}


def test_times_are_whole_milliseconds() -> None:
    summary = made(passed(), style=ReportStyle(started=1_750_000_000.2501, stopped=1_750_000_004.5))["summary"]
    assert (summary["start"], summary["stop"], summary["duration"]) == (1750000000250, 1750000004500, 4250)


def test_the_story_the_line_and_the_code_stand_in_the_test_they_belong_to() -> None:
    (test,) = made(errored())["tests"]
    assert test["message"].startswith(
        "Python cannot read line 3 of your file: '(' was never closed\n3 |     return torch.tril"
    )
    assert (test["filePath"], test["line"]) == ("work/causal_mask.py", 3)
    assert test["snippet"].split("\n")[1].endswith("^")


def test_what_was_printed_is_there_once() -> None:
    tests = made(failed())["tests"]
    assert [test.get("stdout") for test in tests if "stdout" in test] == [["scores tensor([[1., 2.]])", "hello"]]
