"""The table that the grading of a class ends with."""

from __future__ import annotations

from collections import Counter

import pytest

from grader.cli.course.summary import _table
from grader.model import Verdict


@pytest.mark.parametrize(("lang", "name"), [("en", "exception, or not readable"), ("zh", "异常或无法读取")])
def test_what_raised_and_what_could_not_be_read_are_counted_under_both_names(lang: str, name: str) -> None:
    heading, row = _table({"halves": Counter({Verdict.ERRORED.value: 2, Verdict.PASSED.value: 1})}, lang)
    assert heading.endswith(name)
    assert row.split() == ["halves", "1", "2"]
