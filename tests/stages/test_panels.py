"""A picture of got beside expected is cut around the first difference, and knows what a mask forbids."""

from __future__ import annotations

import numpy as np
import pytest

from grader.model import Panel, Tensor
from grader.stages.panels import MOST, panel

AXES = ("B", "T", "S")
MASK = np.array([[[True, False, True], [True, True, False]]])  # (1, T, S)


def weights(batch: int = 2) -> np.ndarray:
    allowed = np.broadcast_to(MASK, (batch, 2, 3)).astype(np.float64)
    return allowed / allowed.sum(-1, keepdims=True)


def pictured(got: np.ndarray, expected: np.ndarray, axes: tuple[str, ...] = AXES, masks=()) -> Panel | None:  # type: ignore[no-untyped-def]
    return panel(Tensor("float32", got), Tensor("float64", expected), axes, title="weights", masks=list(masks))


def test_the_first_sample_that_differs_is_shown_with_row_sums_of_weights() -> None:
    got = weights()
    got[1, 0, 0] = 0.25
    seen = pictured(got, weights())
    assert seen is not None
    assert (seen.axes, seen.at) == (("T", "S"), "B=1")
    assert seen.wrong == ((True, False, False), (False, False, False))
    assert seen.row_sums
    assert seen.sums == ((0.75, 1.0), (1.0, 1.0))


def test_cells_that_a_mask_forbids_are_marked_where_the_right_answer_has_nothing() -> None:
    got = np.full((2, 2, 3), 1 / 3)
    seen = pictured(got, weights(), masks=[(MASK, (1, "T", "S"))])
    assert seen is not None
    assert seen.masked == ((False, True, False), (False, False, True))


@pytest.mark.parametrize(
    ("mask", "names"),
    [
        (~MASK, (1, "T", "S")),  # True = forbidden: the right answer is not nothing where it is False
        (np.array([True, False]), ("T",)),  # of another axis
        (np.ones((2, 3), dtype=bool), ("T", "S")),  # forbids nothing
        (np.ones((1, 1, 2, 3), dtype=bool), ("B", "H", "T", "S")),  # more axes than the result
    ],
)
def test_a_bool_argument_that_is_no_such_mask_marks_nothing(mask: np.ndarray, names: tuple[str | int, ...]) -> None:
    seen = pictured(np.full((2, 2, 3), 1 / 3), weights(), masks=[(mask, names)])
    assert seen is not None
    assert seen.masked == ()


def test_a_large_result_is_cut_so_that_the_first_difference_is_in_the_picture() -> None:
    expected = np.zeros((1, 30, 40))
    got = expected.copy()
    got[0, 29, 20] = 1.0
    seen = pictured(got, expected)
    assert seen is not None
    assert (seen.start, seen.size) == ((30 - MOST, 16), (30, 40))
    assert seen.wrong[-1][4]
    assert len(seen.got) == len(seen.got[0]) == MOST


def test_there_is_no_picture_of_what_is_equal_flat_of_another_shape_or_complex() -> None:
    assert pictured(weights(), weights()) is None
    assert pictured(weights() + 1, weights(), axes=("T",)) is None
    assert pictured(weights()[:1] + 1, weights()) is None
    assert panel(Tensor("complex64", weights() + 1j), Tensor("complex64", weights()), AXES, title="", masks=[]) is None


def test_nan_differs_from_every_number() -> None:
    got = weights()
    got[0, 1, 2] = np.nan
    seen = pictured(got, weights())
    assert seen is not None
    assert seen.wrong[1][2]
