"""What keeps a module from being called, or an earlier result from being used, is said in the terms of the exercise."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course.folder import load_course_mistakes
from grader.locale import say
from grader.model import Exercise, Expectations, Fault, Isolation, Observation, Observations, Trace, Verdict
from grader.stages.compare import BESIDE, compare
from grader.stages.diagnose import diagnose
from grader.stages.faults import fault_story, fault_text
from grader.stages.plan import plan
from grader.stages.spec import load_exercise
from grader.stages.story import told

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def module() -> Exercise:
    return load_exercise(ROOT / "exercises" / "19_causal_self_attention.yaml")


@pytest.fixture(scope="module")
def stepwise() -> Exercise:
    return load_exercise(ROOT / "exercises" / "35_kv_cache_step.yaml")


def state(**about: object) -> Fault:
    return Fault("state", "qkv.weight", ("state",), **about)  # type: ignore[arg-type]


def test_a_parameter_under_another_name_is_found_again(module: Exercise) -> None:
    story = fault_story(module, state(near=("kqv.weight", "out.weight")), "one head")
    assert say(story.headline, "en").endswith("no parameter `qkv.weight`. Did you mean `kqv.weight`?")
    assert [say(detail, "en") for detail in story.details] == ["It has: kqv.weight, out.weight"]
    assert "names and the sizes" in say(story.next_step or {}, "en")


def test_a_parameter_of_another_shape_is_told_as_got_and_expected(module: Exercise) -> None:
    told = say(fault_text(module, state(got="(30, 12)"), "shorter than the mask"), "en")
    assert told == "`qkv.weight` of your module: got shape (30, 12), expected (36, 12)."


def test_where_sizes_are_drawn_the_expected_shape_is_told_in_axes(module: Exercise) -> None:
    assert "expected (3*H*K, H*K)." in say(fault_text(module, state(got="(1, 2)"), "drawn sizes"), "en")


def test_tensors_that_are_not_registered_are_named(module: Exercise) -> None:
    story = fault_story(module, state(text="layers.0.weight"), "one head")
    said = [say(detail, "en") for detail in story.details]
    assert said[0] == "It has no parameters and no buffers."
    assert said[1].endswith("layers.0.weight")


def test_a_module_without_any_tensor_has_nothing_to_name(module: Exercise) -> None:
    story = fault_story(module, state(text="(none)"), "one head")
    assert len(story.details) == 1


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault("not_module", "dict"), "gives dict, expected a `torch.nn.Module`."),
        (Fault("not_callable", "int"), "`CausalSelfAttention` is not a class but int."),
        (
            Fault("signature", got="(width)"),
            "got `CausalSelfAttention(width)`, expected `CausalSelfAttention(d_model, n_heads, max_len, dropout=0.0)`.",
        ),
        (Fault("signature", "forward", got="(x, y)"), "got `forward(x, y)`, expected `forward(x)`."),
    ],
)
def test_what_cannot_be_built_or_called_says_so(module: Exercise, fault: Fault, said: str) -> None:
    assert say(fault_story(module, fault, "one head").headline, "en").endswith(said)


def test_the_next_step_for_a_class_shows_both_methods(module: Exercise) -> None:
    step = say(fault_story(module, Fault("missing"), None).next_step or {}, "en")
    assert "class CausalSelfAttention(nn.Module)" in step
    assert "__init__(self, d_model, n_heads, max_len, dropout=0.0)" in step
    assert "forward(self, x)" in step


def test_a_result_that_is_not_there_names_the_case_it_should_come_from(stepwise: Exercise) -> None:
    story = fault_story(stepwise, Fault("earlier", "k_cache", ("earlier",)), "one more token")
    assert "`k_cache`" in say(story.headline, "en")
    assert '"nothing cached yet"' in say(story.headline, "en")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_fault_is_said_in_both_languages(module: Exercise, stepwise: Exercise, lang: str) -> None:
    for exercise, fault in (
        (module, state(near=("kqv.weight",))),
        (module, state(got="(1, 2)")),
        (module, Fault("not_module", "dict")),
        (stepwise, Fault("earlier", "k_cache")),
    ):
        told = say(fault_story(exercise, fault, "one head").headline, lang)
        assert ("你" in told or "得到" in told or "参数" in told) == (lang == "zh")


def graded(exercise: Exercise, fault: Fault) -> tuple[Observations, Expectations]:
    planned = plan(exercise)
    calls = {call.id: Observation(call.id, Verdict.ERRORED, fault=fault) for call in planned.calls}
    traces = {call.id: Trace("x") for call in planned.calls}
    return Observations(Verdict.PASSED, calls, Isolation("none")), Expectations({}, {}, {(): traces})


def test_a_module_that_cannot_be_loaded_earns_nothing_where_an_exception_is_asked_for(module: Exercise) -> None:
    observed, expected = graded(module, state(text="layers.0.weight"))
    outcomes = compare(plan(module), observed, expected)
    (asked,) = [o for o in outcomes if o.case == "longer than the mask"]
    assert (asked.verdict, asked.points, asked.message) == (Verdict.ERRORED, 0.0, None)


@pytest.mark.parametrize(
    ("text", "name"),
    [("layers.0.weight, layers.0.bias", "layers_in_a_list"), ("(none)", "layers_made_in_forward"), ("wq.weight", None)],
)
def test_what_keeps_a_module_from_being_loaded_can_be_a_known_mistake(module: Exercise, text: str, name: str) -> None:
    observed, expected = graded(module, state(text=text))
    found = diagnose(plan(module), observed, expected, load_course_mistakes(ROOT))
    assert [mistake for diagnosis in found for mistake in diagnosis.mistakes] == ([name] if name else [])


def test_a_right_exception_that_does_not_count_yet_is_not_what_is_told(module: Exercise) -> None:
    planned = plan(module)
    wanted = {drawn.case.name for drawn in planned.cases if drawn.case.raises}
    fine = Fault("exception", "ValueError", ("ValueError",), "too long")
    calls = {
        call.id: Observation(call.id, Verdict.ERRORED, fault=fine)
        if call.case in wanted
        else Observation(call.id, Verdict.PASSED, None)
        for call in planned.calls
    }
    observed = Observations(Verdict.PASSED, calls, Isolation("none"))
    outcomes = compare(planned, observed, Expectations({}, {}, {}))
    assert all(o.message == BESIDE for o in outcomes if o.case in wanted)
    assert told(planned.exercise, outcomes) == next(o for o in outcomes if o.case == "shorter than the mask")
