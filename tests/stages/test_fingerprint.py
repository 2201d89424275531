"""Facts about weights that fit no known mistake."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from small_course import exercise, mixing

from grader.author.direct import Direct
from grader.course.find import find_course
from grader.course.lazily import open_course_lazily
from grader.kinds.inputs import INPUTS
from grader.locale import say
from grader.model import Case, Fingerprint
from grader.stages.expect import load_reference
from grader.stages.fingerprint import facts
from grader.stages.plan import plan

SIZES = {"B": 2, "T": 3, "S": 5, "D": 7, "E": 4}


def _told(planned, observed):
    """What is said of the first open case that shows weights."""
    names = [drawn.case.name for drawn in planned.cases if not drawn.case.hidden and not drawn.case.raises]
    found = [facts(planned, observed, [name]) for name in names]
    return [say(fact, "en") for fact in next(filter(None, found), ())]


def _facts(function, **changes):
    given = {"fingerprint": Fingerprint("q", "k", "weights"), "cases": (Case("apart", SIZES),), "checks": ()} | changes
    planned = plan(exercise(**given))
    return _told(planned, Direct(function).run(planned))


def _weights(make):
    def function(q, k, v):
        weights = make(q @ k.transpose(-2, -1), q.shape[-1])
        return weights @ v, weights

    return function


def test_right_weights_are_told_to_be_right():
    assert _facts(mixing) == [
        "Each row of your weights adds up to 1, as it should.",
        "Within a row your weights follow the scores as they should: the scale is right.",
    ]


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (
            lambda s, d: torch.softmax(s, -1),
            "Within a row your weights follow the scores 2.6 times as sharply as they should",
        ),
        (lambda s, d: torch.softmax(s / d**0.5, -2), "Each column adds up to 1: the keys hand out 1, not the queries."),
        (
            lambda s, d: torch.softmax(s / d**0.5, -1) * 0.5,
            "Each row of your weights adds up to 0.5000; it should add up to 1.",
        ),
        (
            lambda s, d: torch.softmax(s / d**0.5, -1) * torch.linspace(0.5, 0.9, 3)[:, None],
            "add up to between 0.5000 and 0.9000; each should add up to 1.",
        ),
        (lambda s, d: s / s.sum(-1, keepdim=True), "Some weights are negative, the lowest is"),
        (lambda s, d: torch.softmax(torch.tanh(s), -1), "no softmax of the scores q·k"),
        (lambda s, d: s * torch.nan, "Some of your weights are not numbers."),
    ],
)
def test_what_is_off_is_told(make, told):
    assert any(told in fact for fact in _facts(_weights(make)))


def test_leaks_through_the_mask_are_told():
    def masked(q, k, v, mask):
        weights = torch.softmax((q @ k.transpose(-2, -1) / 7**0.5).masked_fill(~mask, -3.0), -1)
        return weights @ v, weights

    inputs = {**exercise().inputs, "mask": INPUTS["bool_mask"](bool_mask=("B", "T", "S"))}
    roles = Fingerprint("q", "k", "weights", mask="mask")
    told = _facts(masked, inputs=inputs, fingerprint=roles)
    assert any(fact.startswith("Forbidden keys get weight, up to 0.") for fact in told)
    assert "Within a row your weights follow the scores as they should: the scale is right." in told


def test_values_that_are_the_identity_show_the_weights():
    eye = {"v": INPUTS["identity"](identity=("B", "S", "S"))}
    cases = (Case("plain", SIZES), Case("shown", {k: SIZES[k] for k in "BTSD"}, inputs=eye))
    changes = {"cases": cases, "returns": {"": ("B", "T", "S")}, "fingerprint": Fingerprint("q", "k", value="v")}
    told = _facts(lambda q, k, v: mixing(q * np.sqrt(q.shape[-1]), k, v)[0], **changes)
    assert told[1].startswith("Within a row your weights follow the scores 2.6 times as sharply")


def test_nothing_is_told_where_no_weights_show():
    assert _facts(mixing, fingerprint=None) == []
    assert _facts(lambda q, k, v: q) == []


COURSE = find_course()
SHOWING = [slug for slug, item in open_course_lazily(COURSE).exercises.items() if item.fingerprint is not None]


def test_exercises_that_mix_values_by_softmax_weights_name_the_roles() -> None:
    assert set(SHOWING) == {
        *("attention", "blockwise_attention", "five_steps", "masked_attention", "scaled_dot_product"),
        "windowed_attention",
    }


@pytest.mark.parametrize("slug", SHOWING)
def test_the_roles_of_an_exercise_show_right_weights_in_the_right_answer(slug: str) -> None:
    item = open_course_lazily(COURSE).exercises[slug]
    reference = load_reference(COURSE)
    right = partial(reference.functions[item.reference], steps=reference.steps)
    planned = plan(replace(item, checks=()))
    told = _told(planned, Direct(right).run(planned))
    assert told[0] == "Each row of your weights adds up to 1, as it should."
    assert told[-1] == "Within a row your weights follow the scores as they should: the scale is right."


def test_facts_are_those_of_a_case_that_is_wrong_and_another_than_the_one_told_of_is_named():
    cases = (Case("apart", SIZES), Case("again", SIZES | {"T": 4}))
    planned = plan(exercise(fingerprint=Fingerprint("q", "k", "weights"), cases=cases, checks=()))
    observed = Direct(mixing).run(planned)
    assert [say(fact, "en")[:4] for fact in facts(planned, observed, ["again"])] == ["Each", "With"]
    assert facts(planned, observed, []) == ()
    only = replace(observed, calls={name: seen for name, seen in observed.calls.items() if name.startswith("again")})
    told = [say(fact, "en") for fact in facts(planned, only, ["apart", "again"])]
    assert all(fact.startswith('Case "again": ') for fact in told)
    assert told
