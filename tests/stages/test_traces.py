"""Traces recognise a result again, within rounding, and keep others apart."""

from __future__ import annotations

import numpy as np
import pytest

from grader.model import Fault, Observation, Tensor, Verdict
from grader.stages.traces import look, matches, raised, same, trace

RNG = np.random.default_rng(0)
X = RNG.standard_normal((3, 4, 5))


def _returned(value):
    return look(Observation("c", Verdict.PASSED, value))


def test_a_result_matches_itself_within_float32_rounding():
    assert matches(trace(Tensor("float64", X)), _returned(Tensor("float32", X.astype(np.float32))))


def test_a_float64_result_has_to_match_tightly():
    off = Tensor("float64", X + 1e-6)
    assert not matches(trace(Tensor("float64", X)), _returned(off))
    assert matches(trace(Tensor("float64", X)), _returned(Tensor("float64", X + 1e-12)))


@pytest.mark.parametrize(
    "other",
    [X[..., :4], X.swapaxes(0, 1), np.where(X[0, 0, 0] == X, np.nan, X), X + (np.arange(5) == 0) * 0.01],
    ids=["shape", "axes swapped", "a hole", "one column off"],
)
def test_another_result_does_not_match(other):
    assert not same(trace(Tensor("float64", X)), trace(Tensor("float64", np.ascontiguousarray(other))), loose=True)


def test_holes_match_where_they_are_and_by_kind():
    def hole(value, at=0):
        y = X.copy()
        y.ravel()[at] = value
        return trace(Tensor("float64", y))

    assert same(hole(np.nan), hole(np.nan))
    assert not same(hole(np.nan), hole(np.inf))
    assert not same(hole(np.nan), hole(np.nan, at=1))


def test_a_bool_is_not_a_float_and_a_tuple_not_its_item():
    ones = np.ones((2, 2))
    assert not same(trace(Tensor("bool", ones.astype(bool))), trace(Tensor("float64", ones)))
    assert not same(trace(Tensor("float64", ones)), trace((Tensor("float64", ones),)))


def test_plain_sizes_are_told_apart():
    assert same(trace(((2, 3), (2, 4))), trace(((2, 3), (2, 4))))
    assert not same(trace(((2, 3), (2, 4))), trace(((2, 3), (2, 5))))
    assert not same(trace(((2, 3), (2, 4))), trace(((2, 3), (2,))))


def test_an_exception_matches_by_class_and_first_line():
    def error(kind, text, bases=()):
        return look(Observation("c", Verdict.ERRORED, fault=Fault("exception", kind, bases or (kind,), text)))

    known = raised("RuntimeError", "sizes differ\nmore")
    assert matches(known, error("RuntimeError", "sizes differ\nother"))
    assert matches(known, error("RuntimeError", ""))  # a hidden call tells its class only
    assert not matches(known, error("RuntimeError", "something else"))
    assert not matches(known, error("ValueError", "sizes differ"))
    assert matches(raised("ValueError", ""), error("ShapeError", "mine", ("ShapeError", "ValueError")))
    assert not matches(known, _returned(Tensor("float64", X)))


def test_a_trace_does_not_hold_the_result():
    kept = trace(Tensor("float64", X))
    assert len(kept.projections) == 8
    assert not set(np.round(kept.projections, 6)) & set(np.round(X.ravel(), 6))


def test_numbers_without_measure_match_themselves_and_nothing_else():
    low = np.where(X > 0, -np.finfo("float64").max, X)
    assert same(trace(Tensor("float64", low)), trace(Tensor("float64", low)))
    assert not same(trace(Tensor("float64", low)), trace(Tensor("float64", X)))
    assert same(trace(Tensor("float64", low), Tensor("float64", low)), trace(Tensor("float64", low)), loose=True)
