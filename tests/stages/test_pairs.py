"""Which pairs of mistakes are tried: those on different steps, one for each function, while they are few enough."""

from __future__ import annotations

from types import SimpleNamespace

from grader.model import Expectations, Trace
from grader.stages.compute import Reference
from grader.stages.pairs import MOST_SINGLES, single_pairs


def _known(count: int) -> tuple[Reference, Expectations]:
    """`count` mistakes that differ in the one call there is: two of them replace one step, the others a step of their own."""
    names = [f"m{i}" for i in range(count)]
    traces = {(name,): {"case/graded": Trace("float[1]", (float(i),), (0.1, 0.1))} for i, name in enumerate(names, 1)}
    right = {"case/graded": Trace("float[1]", (0.0,), (0.1, 0.1))}
    steps = {name: {"scale" if i < 2 else name: len} for i, name in enumerate(names)}
    return Reference({}, steps, SimpleNamespace(), ValueError), Expectations({}, {}, {(): right, **traces})


def test_mistakes_in_one_step_are_no_pair():
    pairs = list(single_pairs(*_known(4)))
    assert ("m0", "m1") not in pairs
    assert len(pairs) == 5


def test_where_mistakes_are_too_many_no_pair_is_tried():
    assert len(list(single_pairs(*_known(MOST_SINGLES)))) == MOST_SINGLES * (MOST_SINGLES - 1) // 2 - 1
    assert list(single_pairs(*_known(MOST_SINGLES + 1))) == []
