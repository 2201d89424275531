"""Expectations with more tensors than a learner may hand back: they come back from the cache all the same."""

from __future__ import annotations

import numpy as np

from grader.model import Example, Expectations, Tensor
from grader.stages.frozen import freeze, thaw


def test_expectations_with_many_examples_are_read_again() -> None:
    tensors = [Tensor("float64", np.array([float(at)])) for at in range(3000)]
    examples = {(f"mistake{at}",): Example({"x": one}, {"": one}, {"": one}) for at, one in enumerate(tensors)}
    known = thaw(freeze(Expectations({}, {}, {}, examples)))
    assert known is not None
    got = known.examples[("mistake2999",)].got[""]
    assert got.array.tolist() == [2999.0]
