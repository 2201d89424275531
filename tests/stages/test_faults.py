"""What stopped a submission is told with the step that helps."""

from __future__ import annotations

import pytest
from small_course import exercise

from grader.locale import say
from grader.model import Fault, Verdict, message
from grader.stages.faults import fault_story, stop_story


@pytest.mark.parametrize(("lang", "told"), [("en", "keeps files, the network"), ("zh", "不让代码接触文件")])
def test_what_the_sandbox_refused_is_said_to_be_out_of_reach(lang: str, told: str) -> None:
    fault = Fault("exception", "PermissionError", ("PermissionError", "OSError"), "[Errno 1] Operation not permitted")
    assert told in say(fault_story(exercise(), fault, "apart").next_step or {}, lang)
    other = Fault("exception", "ValueError", ("ValueError",), "no")
    assert told not in say(fault_story(exercise(), other, "apart").next_step or {}, lang)


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ("It waited for more than {seconds} seconds and was stopped.", "Remove what waits"),
        ("It computed for more than {seconds} seconds and was stopped.", "a loop that never ends"),
    ],
)
def test_what_waits_is_told_apart_from_what_computes(detail: str, told: str) -> None:
    story = stop_story(exercise(), Verdict.TIMED_OUT, message(detail, seconds="50"), "apart")
    assert told in say(story.next_step or {}, "en")
