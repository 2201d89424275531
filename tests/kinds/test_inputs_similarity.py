"""Inputs that look-up and softmax need: an outlying row, scores with -∞, weights; and a gradient that is not compared."""

from __future__ import annotations

import numpy as np
import pytest

from grader.kinds.checks import CHECKS
from grader.kinds.inputs import INPUTS
from grader.model import Case, DrawnCase, Tensor

SIZES = {"B": 3, "T": 4, "S": 6}


def drawn(word: str, **fields: object) -> np.ndarray:
    kind = INPUTS.find(word).model_validate({word: ("B", "T", "S"), **fields})
    value = kind.draw(SIZES, np.random.Generator(np.random.PCG64(1)))
    assert (value.dtype, value.array.dtype, value.shape) == ("float32", np.float32, (3, 4, 6))
    return value.array


def test_an_outlier_moves_the_first_row_of_each_table_alone() -> None:
    plain, moved = drawn("outlier"), drawn("outlier", times=0.0, plus=-7.0)
    assert (moved[:, 0] == -7).all()
    assert (moved[:, 1:] == plain[:, 1:]).all()
    assert abs(plain).max() < 5


def test_masked_scores_have_finite_numbers_and_minus_infinity_in_every_row() -> None:
    scores = drawn("masked_scores")
    empty = np.isneginf(scores)
    assert (empty.any(-1) & ~empty.all(-1)).all()
    assert np.isfinite(scores[~empty]).all()


def test_an_empty_row_holds_minus_infinity_alone() -> None:
    empty = np.isneginf(drawn("masked_scores", empty_row=True)).all(-1)
    assert empty[:, 0].all()
    assert not empty[:, 1:].any()


@pytest.mark.parametrize("sharpness", [1.0, 4.0])
def test_weights_are_positive_and_add_up_to_one(sharpness: float) -> None:
    weights = drawn("weights", sharpness=sharpness)
    assert (weights > 0).all()
    assert np.allclose(weights.sum(-1), 1)


def test_sharper_weights_have_a_larger_largest_one() -> None:
    assert drawn("weights", sharpness=4.0).max(-1).mean() > drawn("weights").max(-1).mean() + 0.2


def test_gradients_are_not_asked_for_in_a_case_that_has_none() -> None:
    gradients = CHECKS.find("gradients").model_validate({"not_in": ["kink"]})
    x = Tensor("float32", np.ones(3, np.float32))
    asked = {
        name: gradients.calls(None, DrawnCase(Case(name, {"S": 3}), {"S": 3}, {"x": x}, {"x": ("S",)}, {"": ("S",)}))
        for name in ("kink", "smooth")
    }
    assert asked["kink"] is None
    assert asked["smooth"] is not None
    assert asked["smooth"][""].gradients_of == ("x",)
