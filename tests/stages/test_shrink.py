"""A named mistake is shown on the smallest inputs that were found, always the same ones, and never where nothing shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from small_course import REFERENCE, prepared

from grader.model import Case, Diagnosis, Example, Tensor
from grader.stages.frozen import freeze, thaw
from grader.stages.shrink import MOST, STEP, example_of, examples


def arrays(example: Example) -> dict[str, list[object]]:
    return {name: value.array.tolist() for name, value in example.arguments.items() if isinstance(value, Tensor)}


@pytest.fixture(scope="module")
def found() -> dict[tuple[str, ...], Example]:
    planned, known = prepared()
    return examples(planned, REFERENCE, known)


def test_every_mistake_with_a_result_gets_an_example_and_one_that_raises_does_not(
    found: dict[tuple[str, ...], Example],
) -> None:
    assert set(found) == {("unscaled",), ("divided_by_d",), ("scaled_twice",), ("over_queries",)}


def test_no_axis_is_longer_than_the_mistake_needs(found: dict[tuple[str, ...], Example]) -> None:
    shapes = {name: value.array.shape for name, value in found[("unscaled",)].arguments.items()}
    assert shapes == {"q": (1, 1, 2), "k": (1, 2, 2), "v": (1, 2, 1)}  # two keys, and a d_k whose root is not 1
    assert found[("over_queries",)].arguments["q"].shape == (1, 1, 1)  # one query: every weight is 1 then


def test_numbers_are_halves_and_few_and_the_results_are_the_references(found: dict[tuple[str, ...], Example]) -> None:
    for ids, example in found.items():
        given = {name: value.array for name, value in example.arguments.items()}
        assert sum(value.size for value in given.values()) <= MOST
        assert all((value % STEP == 0).all() for value in given.values())

        torch_given = {name: torch.from_numpy(value).double() for name, value in given.items()}
        wrong = replace(REFERENCE.steps, **REFERENCE.mistakes[ids[0]])
        for steps, told in ((REFERENCE.steps, example.expected), (wrong, example.got)):
            results = dict(
                zip(("output", "weights"), REFERENCE.functions["mixing"](**torch_given, steps=steps), strict=True)
            )
            for name, value in told.items():
                np.testing.assert_allclose(value.array, results[name].numpy())
        for name, value in example.expected.items():
            assert np.abs(value.array - example.got[name].array).max() >= 0.02


def test_the_same_plan_gives_the_same_examples(found: dict[tuple[str, ...], Example]) -> None:
    planned, known = prepared()
    again = examples(planned, REFERENCE, known)
    assert {ids: arrays(example) for ids, example in again.items()} == {ids: arrays(e) for ids, e in found.items()}


def test_hidden_cases_are_never_shrunk() -> None:
    planned, known = prepared(cases=(Case("secret", {"B": 2, "T": 3, "S": 6, "D": 5, "E": 4}, hidden=True),))
    assert examples(planned, REFERENCE, known) == {}


def test_examples_survive_freezing(found: dict[tuple[str, ...], Example]) -> None:
    known = thaw(freeze(replace(prepared()[1], examples=found)))
    assert known is not None
    assert {ids: arrays(e) for ids, e in known.examples.items()} == {ids: arrays(e) for ids, e in found.items()}


def test_only_a_single_mistake_has_an_example(found: dict[tuple[str, ...], Example]) -> None:
    known = replace(prepared()[1], examples=found)

    def named(*mistakes: str, same: bool = False) -> tuple[Diagnosis, ...]:
        return (Diagnosis(mistakes, (), 3, 3, (), (), same=same),)

    assert example_of(named("unscaled"), known) is found[("unscaled",)]
    assert example_of(named("divided_by_d", "scaled_twice", same=True), known) is found[("divided_by_d",)]
    assert example_of(named("unscaled", "over_queries"), known) is None
    assert example_of((), known) is None
