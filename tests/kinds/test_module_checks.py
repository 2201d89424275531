"""Checks of modules: what they ask for, and what they say of the numbers and the claims that come back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.kinds.checks import CHECKS, Finding, Seen
from grader.locale import say
from grader.model import EVAL, TRAIN, DrawnCase, Exercise, ModuleFacts, Observation, Tensor, Verdict
from grader.stages.plan import plan
from grader.stages.spec import load_exercise

ROOT = Path(__file__).parents[2]
EXERCISE = load_exercise(ROOT / "exercises" / "19_causal_self_attention.yaml")
RNG = np.random.default_rng(0)
RIGHT = RNG.standard_normal((2, 3))


def tensor(array: Any) -> Tensor:
    return Tensor("float32", np.asarray(array, dtype=np.float32))


def first() -> DrawnCase:
    return plan(EXERCISE).cases[0]


def judged(
    word: str, repeated: Any = None, facts: ModuleFacts | None = None, more: Any = None, **options: Any
) -> Finding | None:
    """What a check says where the case gave RIGHT."""
    extra = (
        {}
        if repeated is None
        else {"": repeated, "off": many(RIGHT, RIGHT), "unsaid": many(RIGHT, RIGHT), **(more or {})}
    )
    seen = Seen(EXERCISE, first(), Observation("c", Verdict.PASSED, module=facts), {"": tensor(RIGHT)}, {}, extra)
    return CHECKS[word](**options).judge(seen)


def many(*arrays: Any) -> list[Mapping[str, Any]]:
    return [{"": tensor(array)} for array in arrays]


def dropped(count: int, noise: Any) -> list[Mapping[str, Any]]:
    return many(*(RIGHT + noise() for _ in range(count)))


def test_modes_and_rates_are_asked_for() -> None:
    drawn = first()
    asked = CHECKS["same_in_eval"](argument="dropout", rate=0.3).calls(EXERCISE, drawn)
    assert asked is not None
    assert asked[""].built is not None
    assert (asked[""].built.mode, asked[""].built.arguments["dropout"], asked[""].repeat) == (EVAL, 0.3, 2)
    trained = CHECKS["dropout_in_training"]().calls(EXERCISE, drawn)
    assert trained is not None
    assert trained[""].built is not None
    assert trained[""].built.mode == TRAIN
    assert CHECKS["dropout_in_training"]().calls(EXERCISE, plan(EXERCISE).cases[1]) is None


def test_only_the_first_case_is_looked_into() -> None:
    planned = plan(EXERCISE)
    assert [call.case for call in planned.calls if call.facts] == [EXERCISE.cases[0].name]


def test_eval_mode_is_the_same_twice_or_named() -> None:
    assert judged("same_in_eval", many(RIGHT, RIGHT)) is None
    found = judged("same_in_eval", many(RIGHT, RIGHT + 1), names="dropout_in_eval")
    assert found is not None
    assert found.mistakes == ("dropout_in_eval",)


def test_noise_around_the_right_result_is_dropout() -> None:
    assert judged("dropout_in_training", dropped(256, lambda: RNG.standard_normal((2, 3)))) is None


@pytest.mark.parametrize(("variant", "said"), [("off", "a rate of 0"), ("unsaid", "no rate given")])
def test_a_rate_of_nothing_has_to_drop_nothing(variant: str, said: str) -> None:
    noise = dropped(256, lambda: RNG.standard_normal((2, 3)))
    found = judged("dropout_in_training", noise, more={variant: many(RIGHT, RIGHT + 0.1)})
    assert found is not None
    assert f"with {said}, numbers are still dropped" in say(found.message, "en")


def test_a_mask_that_is_no_buffer_is_missed_where_one_is_asked_for() -> None:
    bare = ModuleFacts(FACTS.parameters, {}, (), {})
    assert judged("moves_with_module", facts=bare) is None
    found = judged("moves_with_module", facts=bare, least=1)
    assert found is not None
    assert "no buffer" in say(found.message, "en")


def test_further_buffers_of_numbers_are_free() -> None:
    more = ModuleFacts(FACTS.parameters, {"mask": "bool", "scale": "float32"}, (), {"mask": "bool", "scale": "float16"})
    assert judged("bools_stay_bool", facts=more) is None


WRONG = {
    "nothing varies": (many(*[RIGHT] * 256), "changes nothing"),
    "another average": (dropped(256, lambda: 1 + 0.1 * RNG.standard_normal((2, 3))), "the average over 256 calls"),
    "zeros in the result": (many(*(RIGHT * 2 * (RNG.random((2, 3)) < 0.5) for _ in range(256))), "% of the numbers"),
    "a call that failed": (Observation("c", Verdict.ERRORED), "fails"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_dropout_on_the_weights_is_told(name: str) -> None:
    repeated, said = WRONG[name]
    found = judged("dropout_in_training", repeated)
    assert found is not None
    assert said in say(found.message, "en")


FACTS = ModuleFacts({"qkv.weight": (36, 12), "out.weight": (12, 12)}, {"mask": "bool"}, (), {"mask": "bool"})
CLAIMS = {
    "no_extra_parameters": ModuleFacts({**FACTS.parameters, "mask": (8, 8)}, {}, (), {}),
    "moves_with_module": ModuleFacts(FACTS.parameters, {}, ("mask",), {}),
    "bools_stay_bool": ModuleFacts(FACTS.parameters, {"mask": "float32"}, (), {"mask": "float16"}),
}


@pytest.mark.parametrize("word", CLAIMS)
def test_a_claim_is_told_and_names_its_mistake(word: str) -> None:
    assert judged(word, facts=FACTS) is None
    found = judged(word, facts=CLAIMS[word], names="some_mistake")
    assert found is not None
    assert "`mask`" in say(found.message, "en")
    assert found.mistakes == ("some_mistake",)


@pytest.mark.parametrize("word", CLAIMS)
def test_a_module_that_nothing_is_known_of_does_not_pass(word: str) -> None:
    assert judged(word) is not None
    assert CHECKS[word]().remark
    assert not CHECKS[word](demanded=True).remark


def test_keys_that_are_padding_for_all_heads_are_found_although_the_mask_has_one_axis_more() -> None:
    exercise: Exercise = load_exercise(ROOT / "exercises" / "24_multi_head_attention_module.yaml")
    drawn = next(d for d in plan(exercise).cases if d.case.name == "padding")
    asked = CHECKS["padding_invariance"]().calls(exercise, drawn)
    assert asked is not None
    assert asked[""].arguments is not None
    hidden = ~drawn.arguments["mask"].array[:, 0, 0]  # (B, S)
    for name in ("key", "value"):
        moved = (asked[""].arguments[name].array != drawn.arguments[name].array).all(-1)
        assert (moved == hidden).all()
