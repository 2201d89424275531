"""Judged facts become a result that says what matters, and results become a report that adds up."""

from __future__ import annotations

from dataclasses import replace
from math import fsum

import pytest

from grader.kinds.checks import CHECKS
from grader.kinds.inputs import BoolMask, Normal, Size
from grader.locale import say
from grader.model import (
    Case,
    Course,
    Diagnosis,
    Exercise,
    Fault,
    Isolation,
    Limits,
    Module,
    Observation,
    Observations,
    Outcome,
    Panel,
    Parameter,
    Signature,
    Submission,
    Verdict,
    message,
)
from grader.stages.report import (
    build_report,
    exercise_result,
    exit_code,
    grader_error,
    next_in_course,
    not_submitted,
    unreadable,
    wrong_values,
)
from grader.stages.story import STEPS

HELD = Isolation("best")
MINE = Submission("mine/scale.py", "scale")
EXERCISE = Exercise(
    slug="scale",
    title={"en": "Scale", "zh": "缩放"},
    points=10,
    prompt={"en": "", "zh": ""},
    signature=Signature("scale", (Parameter("scores"), Parameter("d_k", "64"))),
    reference="scale",
    inputs={},
    returns={},
    cases=(Case("small", {}), Case("wide", {}), Case("kept back", {}, hidden=True)),
    checks=(),
    catches=(),
    hints=({"en": "Look at d_k.", "zh": "看看 d_k。"},),
    limits=Limits(call_seconds=3),
)
UNSCALED = Diagnosis(
    ("unscaled",),
    ("SC1",),
    4,
    4,
    ({"en": "Not divided by √d_k.", "zh": "没有除以 √d_k。"},),
    ({"en": "Why?", "zh": "为什么？"},),
)


def seen(
    *calls: Observation, verdict: Verdict = Verdict.PASSED, fault: Fault | None = None, **more: object
) -> Observations:
    return Observations(verdict, {call.call: call for call in calls}, HELD, fault, **more)  # type: ignore[arg-type]


def case(
    name: str, verdict: Verdict = Verdict.PASSED, text: str = "", points: float = 4, check: str = "values"
) -> Outcome:
    got = points if verdict is Verdict.PASSED else 0.0
    return Outcome(name, check, verdict, name == "kept back", got, points, message(text) if text else None)


def said(result, lang: str = "en") -> str:  # type: ignore[no-untyped-def]
    texts = (result.headline, *result.details, result.next_step)
    return "\n".join(say(text, lang) for text in texts if text)


def test_the_score_is_the_sum_of_the_points_of_the_outcomes() -> None:
    outcomes = (case("small"), case("wide", Verdict.FAILED, "got 1, expected 2"), case("kept back", points=2))
    result = exercise_result(EXERCISE, MINE, seen(), outcomes, ())
    assert (result.score, result.max_score, result.verdict) == (6, 10, Verdict.FAILED)
    assert result.score == fsum(outcome.points for outcome in result.outcomes)


def test_a_passed_exercise_says_how_many_cases_of_each_sort_pass() -> None:
    result = exercise_result(EXERCISE, MINE, seen(), (case("small"), case("wide"), case("kept back")), ())
    assert result.verdict is Verdict.PASSED
    assert said(result) == "Correct: every case passes (2 visible, 1 hidden)."


def test_without_a_diagnosis_the_first_open_case_that_fails_leads_and_a_hint_is_offered() -> None:
    outcomes = (case("kept back", Verdict.FAILED), case("small"), case("wide", Verdict.FAILED, "got 1, expected 2"))
    lines = said(exercise_result(EXERCISE, MINE, seen(), outcomes, ())).split("\n")
    assert lines == [
        'Case "wide": got 1, expected 2',
        "Ask for a hint with `grader hint scale`.",
    ]


def test_a_diagnosis_leads_with_its_evidence_and_its_question_is_the_next_step() -> None:
    result = exercise_result(EXERCISE, MINE, seen(), (case("small", Verdict.FAILED, "off"), case("wide")), (UNSCALED,))
    lines = said(result).split("\n")
    assert lines == [
        "Not divided by √d_k.",
        "In all 4 cases your code gives exactly what this mistake gives.",
        'Case "small": off',
        "Why?",
    ]


def test_a_diagnosis_that_fits_some_cases_says_how_many() -> None:
    some = replace(UNSCALED, matched_calls=3)
    text = said(exercise_result(EXERCISE, MINE, seen(), (case("small", Verdict.FAILED, "off"),), (some,)))
    assert "In 3 of 4 cases your code" in text


@pytest.mark.parametrize(
    ("same", "expected"),
    [
        (True, ["Not divided by √d_k.", "Or, what gives the same here: Wrong axis."]),
        (False, ["Several mistakes at once: Not divided by √d_k. Wrong axis."]),
    ],
)
def test_several_mistakes_are_named_together(same: bool, expected: list[str]) -> None:
    two = replace(UNSCALED, says=(*UNSCALED.says, {"en": "Wrong axis.", "zh": "轴不对。"}), same=same)
    text = said(exercise_result(EXERCISE, MINE, seen(), (case("small", Verdict.FAILED, "off"),), (two,)))
    assert text.split("\n")[: len(expected)] == expected


def test_when_only_a_hidden_case_fails_it_never_sounds_like_success_and_shows_no_value() -> None:
    secret = replace(case("kept back", Verdict.FAILED, "got 4711"), panels=(Panel("", ("T", "S"), "", (), (), ()),))
    result = exercise_result(EXERCISE, MINE, seen(), (case("small"), case("wide"), secret), ())
    assert "a hidden one does not" in said(result)
    assert "Correct" not in said(result)
    assert "4711" not in repr(result)
    assert result.outcomes[-1].panels == ()


def test_an_exception_in_a_hidden_case_shows_its_class_only() -> None:
    fault = Fault("exception", "ValueError", text="secret 4711", lines=((3, "scale", "raise ValueError(scores)"),))
    observed = seen(Observation("kept back/graded", Verdict.ERRORED, fault=fault, printed="secret 4711"))
    result = exercise_result(EXERCISE, MINE, observed, (case("small"), case("kept back", Verdict.ERRORED)), ())
    assert "A hidden case raised ValueError." in said(result)
    assert "4711" not in repr(result)
    assert result.source == ()


def test_an_exception_in_an_open_case_shows_the_learners_own_line() -> None:
    fault = Fault("exception", "ValueError", text="bad size", lines=((3, "scale", "x.view(2)"),))
    observed = seen(Observation("small/graded", Verdict.ERRORED, fault=fault))
    result = exercise_result(EXERCISE, MINE, observed, (case("small", Verdict.ERRORED), case("wide")), ())
    assert result.verdict is Verdict.ERRORED
    assert said(result).startswith('Case "small": line 3, in `scale`, raised ValueError: bad size')
    assert result.source == ((3, "scale", "x.view(2)"),)
    assert say(result.outcomes[0].message or {}, "en") == "raised ValueError: bad size"


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (Fault("syntax", "SyntaxError", text="invalid syntax", lines=((7, "", "f(:"),), column=3), "line 7 of your file: invalid syntax"),
        (Fault("syntax", "SyntaxError", text="invalid syntax", lines=((7, "", "f(:"),), column=3), "the cause is on the line before"),
        (Fault("missing", near=("scaled", "helper")), "Did you mean `scaled`?"),
        (Fault("missing", near=("other",)), "It defines: other"),
        (Fault("missing"), "Define it as `def scale(scores, d_k=64)`."),
        (Fault("not_callable", "Tensor"), "`scale` is not a function but Tensor."),
        (Fault("signature", got="(x)"), "got `scale(x)`, expected `scale(scores, d_k=64)`"),
        (Fault("import", "ImportError", text="pandas", near=("math", "torch")), "imports `pandas`, which is not available here."),
        (Fault("import", "ImportError", text="pandas", near=("math", "torch")), "What may be imported: torch, and harmless parts"),
        (Fault("exit", "SystemExit", text="0"), "your code ended the program (SystemExit: 0)."),
        (Fault("exception", "NameError", text="x", lines=((2, "<module>", "x"),)), "loaded: line 2 raised NameError: x"),
    ],
)  # fmt: skip
def test_what_stops_a_file_is_explained(fault: Fault, expected: str) -> None:
    result = exercise_result(EXERCISE, MINE, seen(verdict=Verdict.ERRORED, fault=fault), (), ())
    assert expected in said(result)
    assert (result.verdict, result.score, result.max_score) == (Verdict.ERRORED, 0, 10)
    assert result.next_step is not None


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (Verdict.TIMED_OUT, 'Case "small": it did not finish within 3 seconds.'),
        (Verdict.OUT_OF_MEMORY, 'Case "small": it needed more memory than the 2048 MB allowed.'),
        (Verdict.CRASHED, 'Case "small": the process ended before it had answered.'),
    ],
)
def test_a_call_that_was_stopped_is_named_with_its_limit(verdict: Verdict, expected: str) -> None:
    skipped = case("wide", Verdict.SKIPPED, check="contract")
    result = exercise_result(
        EXERCISE, MINE, seen(Observation("small/graded", verdict)), (case("small", verdict), skipped), ()
    )
    assert result.verdict is verdict
    assert said(result).split("\n")[0] == expected


def test_what_was_seen_of_a_stop_stands_in_place_of_the_limit() -> None:
    observed = seen(
        Observation("small/graded", Verdict.CRASHED), detail=message("It printed more than 8 MB and was stopped.")
    )
    text = said(exercise_result(EXERCISE, MINE, observed, (case("small", Verdict.CRASHED),), ()))
    assert text.startswith('Case "small": It printed more than 8 MB and was stopped.\n')
    assert "before it had answered" not in text


def test_an_exception_says_the_shapes_of_the_arguments_in_that_case() -> None:
    inputs = {"scores": Normal(normal=("T", 1, "S")), "mask": BoolMask(bool_mask=("T", "S")), "d_k": Size(size="D")}
    cases = (
        Case("small", {"T": 2, "S": 3, "D": 4}, omit=frozenset({"mask"})),
        Case("drawn", {"T": (2, 4), "S": 3, "D": 4}),
    )
    exercise = replace(EXERCISE, inputs=inputs, cases=cases)
    fault = Fault("exception", "ValueError", text="no", lines=((3, "scale", "x.view(2)"),))
    told = {}
    for name in ("small", "drawn"):
        observed = seen(Observation(f"{name}/graded", Verdict.ERRORED, fault=fault))
        told[name] = said(exercise_result(exercise, MINE, observed, (case(name, Verdict.ERRORED),), ()))
    assert "The arguments there: scores [T=2, 1, S=3]\n" in told["small"]
    assert "The arguments there" not in told["drawn"]


def test_a_syntax_error_that_says_what_is_wrong_gets_no_guess() -> None:
    fault = Fault("syntax", "SyntaxError", text="'(' was never closed", lines=((7, "", "f("),), column=2)
    assert "line before" not in said(
        exercise_result(EXERCISE, MINE, seen(verdict=Verdict.ERRORED, fault=fault), (), ())
    )


@pytest.mark.parametrize("check", STEPS)
def test_a_failed_check_without_a_named_mistake_has_a_next_step_of_its_own(check: str) -> None:
    outcomes = (case("small", Verdict.FAILED, "off", check=check),)
    assert exercise_result(EXERCISE, MINE, seen(), outcomes, ()).next_step == STEPS[check]
    assert check in CHECKS


def test_facts_about_values_are_asked_for_only_where_values_are_what_is_told() -> None:
    values, nan = case("small", Verdict.FAILED, "off"), case("wide", Verdict.FAILED, "off", check="finite")
    exercise = replace(EXERCISE, checks=(CHECKS["finite"](), CHECKS["values"]()))
    assert wrong_values(exercise, (values,))
    assert not wrong_values(exercise, (values, nan))
    assert not wrong_values(exercise, (case("small"),))


def test_values_matter_more_than_gradients_wherever_they_fail() -> None:
    outcomes = (
        case("small", Verdict.FAILED, "detached", check="gradients"),
        case("wide", Verdict.FAILED, "got 1, expected 2"),
    )
    assert said(exercise_result(EXERCISE, MINE, seen(), outcomes, ())).startswith('Case "wide": got 1')


def test_a_file_that_never_finishes_loading_is_told_the_limit_of_loading() -> None:
    result = exercise_result(EXERCISE, MINE, seen(verdict=Verdict.TIMED_OUT), (), ())
    assert "While your file was loaded: it did not finish within 10 seconds." in said(result)


def test_a_case_that_should_raise_says_what_it_should_raise() -> None:
    exercise = replace(EXERCISE, cases=(Case("bad", {}, raises="ValueError"),))
    observed = seen(Observation("bad/graded", Verdict.ERRORED, fault=Fault("exception", "TypeError", text="no")))
    outcomes = (case("bad", Verdict.ERRORED, "raised TypeError, expected ValueError"),)
    assert 'Case "bad": raised TypeError, expected ValueError' in said(
        exercise_result(exercise, MINE, observed, outcomes, ())
    )


def test_what_a_hidden_call_printed_is_dropped() -> None:
    calls = [Observation(f"{name}/graded", Verdict.PASSED, printed=f"<{name}>") for name in ("small", "kept back")]
    result = exercise_result(EXERCISE, MINE, seen(*calls, printed="<load>"), (case("small"),), ())
    assert result.printed == "<load><small>"


def test_our_own_fault_is_never_a_zero() -> None:
    observed = seen(verdict=Verdict.GRADER_ERROR, detail=message("the pipe broke"))
    result = exercise_result(EXERCISE, MINE, observed, (), ())
    report = build_report([result], HELD, "cpu", 0)
    assert "that is not your fault" in said(result)
    assert "the pipe broke" in said(result)
    assert (report.score, report.max_score, exit_code(report)) == (0, 0, 3)


def test_what_waits_for_a_person_leaves_score_and_maximum_and_is_counted() -> None:
    outcomes = (case("small"), case("wide", Verdict.NOT_JUDGED))
    report = build_report([exercise_result(EXERCISE, MINE, seen(), outcomes, ())], HELD, "cpu", 0)
    assert (report.score, report.max_score, report.not_judged, exit_code(report)) == (4, 4, 1, 0)


def test_nothing_judged_is_exit_code_1() -> None:
    result = exercise_result(EXERCISE, MINE, seen(), (case("small", Verdict.NOT_JUDGED),), ())
    assert result.verdict is Verdict.NOT_JUDGED
    assert exit_code(build_report([result], HELD, "cpu", 0), 0) == 1
    assert exit_code(build_report([], HELD, "cpu", 0), 0) == 1


def test_a_missing_file_costs_the_points_and_an_unreadable_one_says_why() -> None:
    problem = Submission("a.py", None, problem=message("This is a folder."))
    missing, broken, stray = not_submitted(EXERCISE), unreadable(EXERCISE, problem), unreadable("stray", problem)
    assert (missing.verdict, missing.score, missing.max_score) == (Verdict.NOT_SUBMITTED, 0, 10)
    assert (broken.verdict, broken.max_score, said(broken)) == (Verdict.ERRORED, 10, "This is a folder.")
    assert (stray.slug, stray.max_score, stray.path) == ("stray", 0, "a.py")


@pytest.mark.parametrize(("least", "code"), [(100, 1), (80, 0), (79.9, 0), (80.1, 1), (0, 0)])
def test_the_exit_code_compares_with_the_least_score(least: float, code: int) -> None:
    outcomes = (case("small", points=8), case("wide", Verdict.FAILED, "off", points=2))
    assert (
        exit_code(build_report([exercise_result(EXERCISE, MINE, seen(), outcomes, ())], HELD, "cpu", 0), least) == code
    )


def test_thirds_of_points_still_add_up_to_the_whole() -> None:
    outcomes = tuple(case(name, points=10 / 3) for name in ("small", "wide", "kept back"))
    report = build_report([exercise_result(EXERCISE, MINE, seen(), outcomes, ())] * 7, HELD, "cpu", 0)
    assert exit_code(report, 100) == 0
    assert report.score == pytest.approx(70)


def test_remarks_and_grader_errors_do_not_change_what_was_earned() -> None:
    remark = Outcome("small", "low_precision", Verdict.FAILED, message=message("fails"), remark=True)
    assert exercise_result(EXERCISE, MINE, seen(), (case("small"), remark), ()).verdict is Verdict.PASSED
    assert grader_error("scale", message("why")).max_score == 0


def test_the_course_knows_what_comes_next() -> None:
    other = replace(EXERCISE, slug="mask", title={"en": "Mask", "zh": "掩码"})
    course = Course("", {}, (Module({}, ("scale", "mask")),), (), {"scale": EXERCISE, "mask": other}, {})
    assert say(next_in_course(course, "scale"), "en") == "Next: Mask. Read it with `grader show mask`."
    assert say(next_in_course(course, "mask"), "en") == "That was the last one of this course."
