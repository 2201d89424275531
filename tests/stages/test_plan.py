"""What is drawn: the same for the same seed, apart for other seeds, secrets and cases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from small_course import exercise

from grader.kinds.inputs import INPUTS
from grader.model import Case, Device, Tensor
from grader.stages.plan import plan


def _array(planned, case, name="q"):
    drawn = next(d for d in planned.cases if d.case.name == case)
    return drawn.arguments[name].array


def test_the_same_seed_draws_the_same_inputs():
    assert np.array_equal(_array(plan(exercise(), seed=3), "apart"), _array(plan(exercise(), seed=3), "apart"))


def test_another_seed_draws_other_inputs():
    assert not np.array_equal(_array(plan(exercise(), seed=3), "apart"), _array(plan(exercise(), seed=4), "apart"))


def test_the_secret_changes_hidden_cases_and_no_open_ones():
    one, two = plan(exercise(), secret=b"one"), plan(exercise(), secret=b"two")
    assert not np.array_equal(_array(one, "secret"), _array(two, "secret"))
    assert np.array_equal(_array(one, "apart"), _array(two, "apart"))


def test_a_case_is_drawn_the_same_whatever_stands_beside_it():
    alone = exercise(cases=exercise().cases[1:2])
    assert np.array_equal(_array(plan(alone), "square"), _array(plan(exercise()), "square"))


def test_every_open_call_comes_before_the_first_hidden_one():
    shuffled = exercise(cases=tuple(reversed(exercise().cases)))
    hidden = [call.hidden for call in plan(shuffled).calls]
    assert hidden == sorted(hidden)
    assert any(hidden) and not all(hidden)


def test_drawn_sizes_stay_inside_their_range_and_apart():
    ranges = {"B": (2, 6), "T": (2, 6), "S": (2, 6), "D": (2, 6), "E": 4}
    for seed in range(20):
        drawn = plan(exercise(cases=(Case("drawn", ranges),)), seed=seed).cases[0]
        assert len(set(drawn.sizes.values())) == 5
        assert all(2 <= size <= 6 for size in drawn.sizes.values())


def test_an_axis_without_a_size_drops_out_of_inputs_and_returns():
    flat = {name: INPUTS["normal"](normal=kind.normal[1:]) for name, kind in exercise().inputs.items()}
    drawn = plan(exercise(cases=(Case("flat", {"T": 3, "S": 5, "D": 2, "E": 4}, inputs=flat),))).cases[0]
    assert drawn.arguments["q"].shape == (3, 2)
    assert drawn.returns == {"output": ("T", "E"), "weights": ("T", "S")}


def test_the_device_of_the_run_is_passed_to_the_function():
    asked = exercise(inputs={**exercise().inputs, "device": INPUTS["device"](device=True)})
    assert plan(asked, device="cuda").cases[0].arguments["device"] == Device("cuda")


def test_omitted_arguments_are_not_passed():
    case = replace(exercise().cases[0], omit=frozenset({"v"}))
    assert "v" not in plan(exercise(cases=(case,), checks=())).cases[0].arguments


def test_every_row_of_a_drawn_mask_has_an_allowed_and_a_forbidden_key():
    rng = np.random.default_rng(0)
    for _ in range(50):
        mask = INPUTS["bool_mask"](bool_mask=("B", 1, "T", "S")).draw({"B": 2, "T": 4, "S": 2}, rng)
        assert mask.shape == (2, 1, 4, 2)
        assert mask.array.any(-1).all()
        assert not mask.array.all(-1).any()


def test_padded_samples_have_different_lengths_and_at_least_one_key():
    rng = np.random.default_rng(0)
    for _ in range(50):
        mask = INPUTS["padding_mask"](padding_mask=("B", 1, 1, "S")).draw({"B": 3, "S": 6}, rng)
        lengths = mask.array.sum(-1).ravel()
        assert len(set(lengths.tolist())) == 3
        assert lengths.min() >= 1 and lengths.max() < 6


def test_a_causal_mask_lines_up_the_last_query_with_the_last_key():
    mask = INPUTS["causal_mask"](causal_mask=("T", "S")).draw({"T": 2, "S": 4}, np.random.default_rng(0))
    assert mask.array.tolist() == [[True, True, True, False], [True, True, True, True]]


def test_whole_numbers_stay_whole_and_identities_are_identities():
    rng = np.random.default_rng(0)
    whole = INPUTS["integers"](integers=("T", "D"), low=-2, high=2).draw({"T": 50, "D": 3}, rng)
    assert set(whole.array.ravel().tolist()) == {-2.0, -1.0, 0.0, 1.0, 2.0}
    eye = INPUTS["identity"](identity=("B", "S", "S")).draw({"B": 2, "S": 3}, rng)
    assert isinstance(eye, Tensor) and eye.array.tolist() == [np.eye(3).tolist()] * 2


def test_arrays_come_as_a_dict_and_reach_the_float64_call_in_float64():
    weights = INPUTS["arrays"](arrays={"w_q": ("D", "D"), "b": ("E",)}, scale=0.5)
    assert weights.axes == ("D", "D", "E")
    asked = exercise(inputs={**exercise().inputs, "v": weights}, checks=())
    planned = plan(asked)
    first = planned.cases[0].case.name
    graded, wide = (call for call in planned.calls if call.case == first)
    sizes = planned.cases[0].sizes
    assert {name: array.shape for name, array in graded.arguments["v"].items()} == {
        "w_q": (sizes["D"], sizes["D"]),
        "b": (sizes["E"],),
    }
    assert {array.dtype for array in graded.arguments["v"].values()} == {"float32"}
    drawn = weights.draw({"D": 400, "E": 400}, np.random.default_rng(0))
    assert abs(drawn["w_q"].array.std() * 20 - 0.5) < 0.01
    assert abs(drawn["b"].array.std() - 0.5) < 0.05
    assert {array.dtype for array in wide.arguments["v"].values()} == {"float64"}


def test_token_ids_stay_inside_the_vocabulary_and_end_in_padding_where_it_is_asked_for():
    rng = np.random.default_rng(0)
    ids = INPUTS["token_ids"](token_ids=("B", "T"), below="V", first=2)
    assert ids.axes == ("B", "T", "V")
    drawn = ids.draw({"B": 40, "T": 5, "V": 6}, rng)
    assert (drawn.dtype, set(drawn.array.ravel().tolist())) == ("int64", {2, 3, 4, 5})
    padded = INPUTS["token_ids"](token_ids=("B", "T"), below=9, first=1, pad=0).draw({"B": 3, "T": 6}, rng)
    lengths = (padded.array != 0).sum(-1).tolist()
    assert len(set(lengths)) == 3 and min(lengths) >= 1 and max(lengths) < 6
    assert all((row[:length] != 0).all() for row, length in zip(padded.array, lengths, strict=True))


def test_lengths_are_whole_numbers_between_the_least_and_the_longest_and_apart():
    kind = INPUTS["lengths"](lengths=("B",), of="S", least=0)
    for seed in range(20):
        drawn = kind.draw({"B": 6, "S": 5}, np.random.Generator(np.random.PCG64(seed)))
        assert (drawn.dtype, sorted(drawn.array.tolist())) == ("int64", [0, 1, 2, 3, 4, 5])
    assert kind.axes == ("B", "S") and kind.shape_axes == ("B",)
    few = INPUTS["lengths"](lengths=("B",), of="S").draw({"B": 3, "S": 2}, np.random.Generator(np.random.PCG64(0)))
    assert set(few.array.tolist()) == {1, 2}
