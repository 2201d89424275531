"""Outcomes: the first rung that fails speaks, the points of a case lie on the outcome that decided it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from small_course import TEXTS, exercise, mixing, prepared

from grader.author.direct import Direct
from grader.kinds.checks import CHECKS
from grader.kinds.checks.values import value_message
from grader.kinds.numbers import Difference, short
from grader.locale import say
from grader.model import Case, Fault, Isolation, Observation, Observations, Verdict
from grader.stages.compare import compare
from grader.stages.diagnose import diagnose


def _judge(function, **changes):
    planned, expected = prepared(**changes)
    observed = Direct(function).run(planned)
    outcomes = compare(planned, observed, expected)
    return outcomes, diagnose(planned, observed, expected, TEXTS, outcomes)


def _spoke(outcomes, case="apart"):
    return next(o for o in outcomes if o.case == case and o.verdict is not Verdict.PASSED)


def test_the_right_function_earns_every_point():
    outcomes, diagnoses = _judge(mixing)
    assert sum(o.points for o in outcomes) == pytest.approx(6.0)
    assert {o.verdict for o in outcomes} == {Verdict.PASSED}
    assert diagnoses == ()


def test_points_are_shared_by_weight_and_lie_on_values():
    cases = tuple(Case(c.name, c.sizes, c.hidden, weight=w) for c, w in zip(exercise().cases, (1, 2, 3), strict=True))
    outcomes, _ = _judge(mixing, cases=cases)
    assert [(o.check, o.points) for o in outcomes if o.points] == [("values", 1.0), ("values", 2.0), ("values", 3.0)]


WRONG = {
    "one tensor": (lambda q, k, v: mixing(q, k, v)[0], "contract", "got one tensor of shape (2, 3, 4), expected (output, weights)"),
    "three results": (lambda q, k, v: (*mixing(q, k, v), q), "contract", "number of results: got 3, expected 2: (output, weights)"),
    "nothing": (lambda q, k, v: None, "contract", "got None (is there a `return`?), expected (output, weights)"),
    "a number inside": (lambda q, k, v: (1.5, mixing(q, k, v)[1]), "contract", "output: got a number, expected a torch tensor"),
    "swapped axes": (
        lambda q, k, v: (mixing(q, k, v)[0].transpose(1, 2), mixing(q, k, v)[1]),
        "shape",
        "output: got shape (2, 4, 3), expected (2, 3, 4); in axes: got (B, E, T), expected (B, T, E)",
    ),
    "double": (lambda q, k, v: tuple(r.double() for r in mixing(q, k, v)), "dtype", "output: got dtype float64, expected float32"),
    "nan": (
        lambda q, k, v: (mixing(q, k, v)[0] * torch.nan, mixing(q, k, v)[1]),
        "finite",
        "output: 24 of 24 numbers are NaN, the first at [B=0, T=0, E=0]",
    ),
    "detached": (lambda q, k, v: mixing(q.detach(), k, v), "gradients", "no gradient reaches `q`: it was detached, or not used"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_the_first_rung_that_fails_speaks_and_later_ones_are_skipped(name):
    function, check, text = WRONG[name]
    outcomes, _ = _judge(function)
    spoke = _spoke(outcomes)
    assert (spoke.check, say(spoke.message, "en")) == (check, text)
    assert spoke.points == 0 and spoke.max_points == pytest.approx(2.0)
    after = [o for o in outcomes if o.case == "apart"]
    later = after[after.index(spoke) + 1 :]
    assert all(o.verdict is Verdict.SKIPPED and o.max_points == 0 for o in later)


def test_wrong_values_say_how_many_where_and_by_how_much():
    def slip(q, k, v):
        output, weights = mixing(q, k, v)
        output = output.clone()
        output[..., 0, 0] += 0.5
        return output, weights

    spoke = _spoke(_judge(slip)[0])
    text = say(spoke.message, "en")
    assert spoke.check == "values"
    assert text.startswith("output: 2 of 24 values differ; the largest difference is 0.5 (allowed: ")
    assert "T=0, E=0]: got " in text
    (panel,) = spoke.panels
    assert panel.axes == ("T", "E") and panel.wrong[0] == (True, False, False, False)


@pytest.mark.parametrize("got", [-3.0, float("inf")])
def test_a_difference_without_end_is_told_by_its_place_alone(got):
    worst = Difference(3, 12, (0, 1), got, float("-inf"), float("inf"), float("inf"))
    text = say(value_message(worst, ("T", "S")), "en")
    assert text == f"3 of 12 values differ; the first at [T=0, S=1]: got {short(got)}, expected -inf"


def test_a_hidden_case_shows_its_rung_and_nothing_else():
    outcomes, _ = _judge(lambda q, k, v: tuple(r * 2 for r in mixing(q, k, v)))
    hidden = _spoke(outcomes, "secret")
    assert (hidden.check, hidden.hidden, hidden.message, hidden.panels) == ("values", True, None, ())


def _named_by(function, check):
    """What a finding of this check alone names, and the check that spoke."""
    checks = tuple(check if c.word == check.word else c for c in exercise().checks)
    outcomes, diagnoses = _judge(function, checks=checks)
    return _spoke(outcomes).check, {name for diagnosis in diagnoses for name in diagnosis.mistakes}


def test_a_missing_gradient_names_its_mistake():
    named = _named_by(lambda q, k, v: mixing(q.detach(), k, v), CHECKS["gradients"](detached="unscaled"))
    assert named == ("gradients", {"unscaled"})
    named = _named_by(
        lambda q, k, v: tuple(r.detach() for r in mixing(q, k, v)), CHECKS["gradients"](detached="unscaled")
    )
    assert named == ("gradients", {"unscaled"})


def test_a_way_back_through_a_changed_tensor_names_its_mistake():
    def overwrites(q, k, v):
        output, weights = mixing(q, k, v)
        return output, weights.mul_(1)

    assert _named_by(overwrites, CHECKS["gradients"](in_place="unscaled")) == ("gradients", {"unscaled"})
    assert _named_by(overwrites, CHECKS["gradients"](detached="unscaled")) == ("gradients", set())


def test_a_gradient_that_is_not_finite_beside_a_finite_result_names_its_mistake():
    def slips(q, k, v):
        output, weights = mixing(q, k, v)
        return output + (0 * q.sum()).abs().sqrt(), weights

    check = CHECKS["gradients"](not_finite="unscaled", detached="over_queries")
    assert _named_by(slips, check) == ("gradients", {"unscaled"})


def test_a_floating_dtype_names_its_mistake_only_beside_another_floating_one():
    check = CHECKS["dtype"](names="unscaled")
    assert _named_by(lambda q, k, v: tuple(r.double() for r in mixing(q, k, v)), check) == ("dtype", {"unscaled"})
    assert _named_by(lambda q, k, v: tuple(r > 0 for r in mixing(q, k, v)), check) == ("dtype", set())


def test_an_exact_dtype_is_that_of_the_reference():
    outcomes, _ = _judge(mixing, checks=(CHECKS["dtype"](exact=True),))
    assert say(_spoke(outcomes).message, "en") == "output: got dtype float32, expected float64"


def test_a_changed_argument_names_its_mistake():
    def careless(q, k, v):
        result = mixing(q, k, v)
        with torch.no_grad():
            q.mul_(2)
        return result

    check = CHECKS["inputs_unchanged"](names="unscaled")
    assert _named_by(careless, check) == ("inputs_unchanged", {"unscaled"})


def test_a_changed_argument_costs_the_case():
    def careless(q, k, v):
        result = mixing(q, k, v)
        with torch.no_grad():
            q.mul_(2)
        return result

    spoke = _spoke(_judge(careless)[0])
    assert spoke.check == "inputs_unchanged" and "`q`" in say(spoke.message, "en")


@pytest.mark.parametrize(
    ("mistake", "named"),
    [
        ("unscaled", {"unscaled"}),
        ("divided_by_d", {"divided_by_d", "scaled_twice"}),
        ("over_queries", {"over_queries"}),
    ],
)
def test_a_mistake_is_named_with_its_equals_and_no_others(mistake, named):
    from dataclasses import replace
    from functools import partial

    from small_course import CORRECT, MISTAKES

    outcomes, diagnoses = _judge(partial(mixing, steps=replace(CORRECT, **MISTAKES[mistake])))
    assert sum(o.points for o in outcomes) < 6
    assert set(diagnoses[0].mistakes) == named and diagnoses[0].same is (len(named) > 1)
    assert diagnoses[0].matched_calls == diagnoses[0].of_calls


def test_no_name_is_given_when_one_case_does_not_fit():
    def almost(q, k, v):
        return mixing(q, k, v) if q.shape[1] == 4 else mixing(q * q.shape[-1] ** 0.5, k, v)

    outcomes, diagnoses = _judge(almost)
    assert sum(o.points for o in outcomes) < 6 and diagnoses == ()


def test_no_name_is_given_to_a_right_answer_of_another_dtype():
    _, diagnoses = _judge(lambda q, k, v: tuple(r.half() for r in mixing(q, k, v)))
    assert diagnoses == ()


def test_a_mistake_that_raises_is_recognised_by_its_exception():
    def crashes(q, k, v):
        raise RuntimeError("no product")

    outcomes, diagnoses = _judge(crashes)
    assert {o.verdict for o in outcomes} <= {Verdict.ERRORED, Verdict.SKIPPED}
    assert diagnoses[0].mistakes == ("mixes_nothing",)


RAISES = (
    Case("apart", {"B": 2, "T": 3, "S": 5, "D": 7, "E": 4}),
    Case("misfit", {"B": 2, "T": 3, "S": 5, "D": 7, "C": 6, "E": 4}, raises="ValueError"),
)


def _misfit():
    from dataclasses import replace

    from grader.kinds.inputs import INPUTS

    return (RAISES[0], replace(RAISES[1], inputs={"k": INPUTS["normal"](normal=("B", "S", "C"))}))


def test_the_expected_exception_earns_its_points():
    outcomes, _ = _judge(mixing, cases=_misfit())
    assert sum(o.points for o in outcomes) == pytest.approx(6.0)


def test_raising_alone_earns_nothing():
    def always(q, k, v):
        raise ValueError("no")

    outcomes, _ = _judge(always, cases=_misfit())
    assert sum(o.points for o in outcomes) == 0
    told = next(o for o in outcomes if o.case == "misfit")
    assert (
        say(told.message, "en") == "the right exception, but it counts only once half of the cases with a result pass"
    )


def _quiet(q, k, v):
    return None if q.shape[-1] != k.shape[-1] else mixing(q, k, v)


def _other(q, k, v):
    return mixing(q, k, v) if q.shape[-1] == k.shape[-1] else 1 / 0


@pytest.mark.parametrize(
    ("function", "verdict", "text"),
    [
        (_quiet, Verdict.FAILED, "no exception was raised, expected ValueError"),
        (_other, Verdict.ERRORED, "raised ZeroDivisionError, expected ValueError"),
    ],
)
def test_another_exception_or_none_fails_the_case(function, verdict, text):
    spoke = _spoke(_judge(function, cases=_misfit())[0], "misfit")
    assert (spoke.verdict, say(spoke.message, "en")) == (verdict, text)


def test_a_call_that_was_not_reached_earns_nothing():
    planned, expected = prepared()
    observed = Direct(mixing).run(planned)
    kept = {i: o for i, o in observed.calls.items() if not i.startswith("square")}
    outcomes = compare(planned, Observations(Verdict.PASSED, kept, observed.isolation), expected)
    assert sum(o.points for o in outcomes) == pytest.approx(4.0)
    missing = _spoke(outcomes, "square")
    assert (missing.check, missing.verdict) == ("contract", Verdict.SKIPPED)


def test_a_missing_further_call_takes_the_points_of_its_case():
    planned, expected = prepared()
    observed = Direct(mixing).run(planned)
    kept = {i: o for i, o in observed.calls.items() if i != "square/gradients"}
    outcomes = compare(planned, Observations(Verdict.PASSED, kept, observed.isolation), expected)
    assert sum(o.points for o in outcomes) == pytest.approx(4.0)


@pytest.mark.parametrize("verdict", [Verdict.TIMED_OUT, Verdict.CRASHED, Verdict.OUT_OF_MEMORY, Verdict.ERRORED])
def test_a_file_that_did_not_load_earns_nothing(verdict):
    planned, expected = prepared()
    observed = Observations(verdict, {}, Isolation("none"), fault=Fault("syntax"))
    outcomes = compare(planned, observed, expected)
    assert sum(o.points for o in outcomes) == 0 and sum(o.max_points for o in outcomes) == pytest.approx(6.0)
    assert {o.verdict for o in outcomes if o.check == "contract"} == {verdict}
    assert diagnose(planned, observed, expected, TEXTS) == ()


def test_a_time_out_names_no_mistake():
    planned, expected = prepared()
    observed = Direct(lambda q, k, v: mixing(q * 7**0.5, k, v)).run(planned)
    calls = {**observed.calls, "square/graded": Observation("square/graded", Verdict.TIMED_OUT)}
    assert diagnose(planned, Observations(Verdict.PASSED, calls, observed.isolation), expected, TEXTS) == ()


def test_remarks_cost_nothing():
    def single_minded(q, k, v):
        if q.dtype in (torch.float16, torch.bfloat16):
            raise TypeError("float32 only")
        return mixing(q, k, v)

    checks = (*exercise().checks, CHECKS["low_precision"](), CHECKS["device"]())
    outcomes, _ = _judge(single_minded, checks=checks)
    assert sum(o.points for o in outcomes) == pytest.approx(6.0)
    remarks = {o.check: o for o in outcomes if o.remark}
    assert say(remarks["low_precision"].message, "en") == "fails on float16 inputs: float32 only"
    assert remarks["device"].verdict is Verdict.SKIPPED


PROPERTIES = {
    "batch_independence": (
        {"axis": "B"},
        lambda q, k, v: mixing(q, k + 0 * k, v - v.mean(0, keepdim=True)),
        "sample 0 changes when only the other samples of the batch change",
    ),
    "key_order": (
        {"axis": "S"},
        lambda q, k, v: mixing(q, k * torch.arange(1, k.shape[1] + 1, dtype=k.dtype)[:, None], v),
        "the output changes when keys and values are reordered together",
    ),
    "rows_sum_to_one": (
        {},
        lambda q, k, v: (mixing(q, k, v)[0], mixing(q, k, v)[1] * 2),
        "adds up to 2.0000, expected 1",
    ),
}


@pytest.mark.parametrize("word", PROPERTIES)
def test_a_property_is_judged_by_calling_again(word):
    options, function, text = PROPERTIES[word]
    check = CHECKS[word](**options)
    assert sum(o.points for o in _judge(mixing, checks=(check,))[0]) == pytest.approx(6.0)
    spoke = _spoke(_judge(function, checks=(check,))[0])
    assert spoke.check == word and text in say(spoke.message, "en")


def test_no_future_leak_sees_what_looks_ahead():
    from small_course import REFERENCE

    from grader.stages.compute import Reference, compute
    from grader.stages.plan import plan as draw

    def running_mean(x, steps=None):
        return x.cumsum(-2) / torch.arange(1, x.shape[-2] + 1, dtype=x.dtype)[:, None]

    from dataclasses import replace

    from grader.kinds.inputs import INPUTS

    sequence = replace(
        exercise(), inputs={"x": INPUTS["normal"](normal=("B", "T", "D"))}, returns={"": ("B", "T", "D")}, reference="mean",
        cases=(Case("apart", {"B": 2, "T": 5, "D": 3}),), checks=(CHECKS["no_future_leak"](),),
    )  # fmt: skip
    planned = draw(sequence)
    expected = compute(planned, Reference({"mean": running_mean}, {}, REFERENCE.steps, REFERENCE.not_applicable))
    assert sum(o.points for o in compare(planned, Direct(running_mean).run(planned), expected)) == pytest.approx(6.0)
    ahead = compare(planned, Direct(lambda x: running_mean(x) + 0.1 * x.sum(-2, keepdim=True)).run(planned), expected)
    assert "it sees the future" in say(_spoke(ahead).message, "en")


def test_float_rounding_is_allowed_and_a_weak_leak_is_not():
    assert np.isclose(
        sum(o.points for o in _judge(lambda q, k, v: tuple(r * (1 + 2e-5) for r in mixing(q, k, v)))[0]), 6
    )
    assert sum(o.points for o in _judge(lambda q, k, v: tuple(r * (1 + 2e-3) for r in mixing(q, k, v)))[0]) == 0
