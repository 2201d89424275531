"""Every exercise of the course keeps its promises, and each kind of broken promise is found and said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from small_course import REFERENCE, TEXTS, exercise

from grader.author.verify import PROOFS, Workbench, verify
from grader.course.folder import load_course, load_course_mistakes
from grader.locale import say
from grader.model import Case, Course
from grader.stages.compute import compute
from grader.stages.plan import plan

ROOT = Path(__file__).parents[2]
SLUGS = [path.stem.split("_", 1)[1] for path in sorted((ROOT / "exercises").glob("*.yaml"))]


@pytest.fixture(scope="module")
def course() -> Course:
    return load_course(ROOT)


@pytest.mark.parametrize("slug", SLUGS)
def test_an_exercise_keeps_its_promises(slug, course):
    found = list(verify(course, load_course_mistakes(ROOT), (slug,)))
    assert len(found) > 4
    assert [f"{say(p.claim, 'en')}: {say(p.why, 'en') if p.why else ''}" for p in found if not p.holds] == []


def _broken(reference=REFERENCE, **changes) -> dict[str, str]:
    """The claims that do not hold, with what is said of each."""
    planned = plan(exercise(**changes))
    bench = Workbench(planned.exercise, planned, compute(planned, reference), reference, TEXTS)
    proofs = [proof for prove in PROOFS for proof in prove(bench)]
    return {say(p.claim, "en"): say(p.why, "en") if p.why else "" for p in proofs if not p.holds}


def test_a_sound_exercise_has_nothing_against_it():
    assert _broken() == {}


def test_a_mistake_that_shows_nowhere_is_a_hollow_promise():
    one = (Case("one key", {"B": 2, "T": 3, "S": 1, "D": 7, "E": 4}),)
    assert _broken(cases=one, catches=(("unscaled",),))["catches and names unscaled"] == "it gets full marks"


def test_a_mistake_that_only_hidden_cases_show_is_a_hollow_promise():
    hidden = (Case("one key", {"B": 2, "T": 3, "S": 1, "D": 7, "E": 4}), replace(exercise().cases[0], hidden=True))
    assert _broken(cases=hidden, catches=(("unscaled",),))["catches and names unscaled"] == "only hidden cases show it"


def test_equal_functions_have_to_be_declared_together():
    told = _broken(catches=(("divided_by_d",), ("scaled_twice",)))
    assert (
        told["catches and names divided_by_d"]
        == "it is the same function here as scaled_twice: declare them as one group"
    )
    assert "as divided_by_d" in told["catches and names scaled_twice"]


@pytest.mark.parametrize(
    ("mistake", "told"),
    [("unheard_of", "the reference has no mistake of this name"), ("elsewhere", "it has no meaning for this exercise")],
)
def test_a_promise_about_nothing_is_said(mistake, told):
    assert _broken(catches=((mistake,),)) == {f"catches and names {mistake}": told}


def test_a_mistake_too_small_to_miss_by_far_is_said():
    slight = replace(REFERENCE, mistakes={"unscaled": {"mix": lambda w, v: (w @ v) * 1.0003}})
    told = _broken(slight, catches=(("unscaled",),))
    assert told["catches and names unscaled"] == "its values miss what is allowed by less than 10 times"


def test_points_for_trivial_answers_are_found():
    cases = (*exercise().cases, Case("one key", {"B": 2, "T": 3, "S": 1, "D": 7, "E": 4}))
    told = _broken(cases=cases, checks=exercise().checks[:4])
    assert "mean of the last input: one key" in told["the starter and trivial answers score 0"]


def test_some_open_case_has_to_have_all_sizes_different():
    assert _broken(cases=exercise().cases[1:2], catches=()) == {
        "some open case has all sizes different": "give one open case sizes that are all different"
    }


def test_a_reference_that_fails_its_own_checks_is_found():
    def noisy(q, k, v, *, steps=None):
        output, weights = REFERENCE.functions["mixing"](q, k, v)
        return (output.detach(), weights) if q.dtype.itemsize == 4 else (output, weights)

    told = _broken(replace(REFERENCE, functions={"mixing": noisy}), catches=())
    assert "gradients" in told["the reference passes every check"]


def test_rounding_that_eats_the_tolerance_is_found():
    def rough(q, k, v, *, steps=None):
        output, weights = REFERENCE.functions["mixing"](q, k, v)
        return (output * 1.00008, weights) if q.dtype.itemsize == 4 else (output, weights)

    told = _broken(replace(REFERENCE, functions={"mixing": rough}), catches=())
    (why,) = [why for claim, why in told.items() if claim.startswith("float32 rounding")]
    assert why.startswith("it uses 0.") and why.endswith("of what is allowed")
