"""Sample submissions called directly: right ones agree with the reference, each wrong one with the mistake it is named for."""

from __future__ import annotations

import importlib.util
import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import probes
import pytest
import torch

SUBMISSIONS = probes.ROOT / "tests" / "submissions"
ALLOWED = {"atol": 1e-5, "rtol": 1e-4}


def samples(kind: str) -> list[Path]:
    return sorted((SUBMISSIONS / kind).glob("*/*.py"))


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def learner_function(path: Path) -> Callable[..., Any]:
    """Return the function that the submission is about, taking arguments by the exercise's names, whatever its own are."""
    spec = importlib.util.spec_from_file_location(f"sample_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    exercise = probes.exercises()[path.parent.name]
    function = getattr(module, exercise["signature"].partition("(")[0])
    return built(exercise, function) if "call" in exercise else by_our_names(function, exercise["inputs"])


def by_our_names(function: Callable[..., Any], ours: Iterable[str]) -> Callable[..., Any]:
    theirs = dict(zip(ours, inspect.signature(function).parameters, strict=False))
    return lambda **arguments: function(**{theirs[name]: value for name, value in arguments.items()})


def built(exercise: Mapping[str, Any], class_: type[torch.nn.Module]) -> Callable[..., Any]:
    """Return a function that builds a module, loads it and calls it in eval mode."""

    def run(state: dict[str, torch.Tensor], **arguments: Any) -> Any:
        made = {name: arguments.pop(name) for name in exercise["build"]}
        module = by_our_names(class_, made)(**made).to(next(iter(state.values())).dtype).eval()
        missing, _ = module.load_state_dict(state, strict=False)
        assert not set(missing) & set(state), missing
        return by_our_names(module.forward, exercise["call"])(**arguments)

    return run


def dict_of(outcomes: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    return {case["name"]: outcome for case, outcome in outcomes}


@pytest.mark.parametrize("path", samples("right"), ids=name)
def test_a_right_sample_stays_within_half_of_what_is_allowed(path: Path) -> None:
    exercise, function = probes.exercises()[path.parent.name], learner_function(path)
    reference = probes.load_reference().FUNCTIONS[exercise["reference"]]
    cases = list(probes.calls(exercise, dtype=torch.float32))
    wide = [(case, probes.in_dtype(arguments, torch.float64)) for case, arguments in cases]
    right = dict_of(probes.each(reference, exercise, wide))
    for name, got in dict_of(probes.each(function, exercise, cases)).items():
        assert probes.same(got, right[name], atol=0.5e-5, rtol=0.5e-4), name


@pytest.mark.parametrize("path", samples("wrong"), ids=name)
def test_a_wrong_sample_computes_the_mistake_that_it_is_named_for(path: Path) -> None:
    exercise, function = probes.exercises()[path.parent.name], learner_function(path)
    reference = probes.load_reference().FUNCTIONS[exercise["reference"]]
    mistake = path.stem.partition("__")[0]
    if mistake in probes.without_steps(path.parent.name):
        pytest.skip("shows in no value: the grader's own road tells")
    mistaken = probes.wrong(reference, mistake)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*`x.T`.*", category=UserWarning)
        cases = list(probes.calls(exercise))
        expected = dict_of(probes.each(mistaken, exercise, cases))
        given = {case["name"]: arguments for case, arguments in cases}
        for case, got in probes.each(function, exercise, cases):
            known, arguments = expected[case["name"]], given[case["name"]]
            # What goes in as float64 comes out as float64. Where nothing floating goes in, learners make float32; some always do.
            wide = any(map(probes.is_float, arguments.values())) and not path.stem.endswith("__in_float32")
            near = 1e-8 if wide else 1e-3
            assert probes.same(got, known, atol=near, rtol=near), case["name"]
            if isinstance(got, Exception) and "raises" not in case:
                assert str(got).splitlines()[0] == str(known).splitlines()[0], case["name"]


SAMPLED = {
    slug: {p.stem.partition("__")[0] for p in samples("wrong") if p.parent.name == slug} for slug in probes.exercises()
}


def test_each_mistake_has_a_sample_in_some_exercise() -> None:
    assert set(probes.load_reference().MISTAKES) == set().union(*SAMPLED.values())


@pytest.mark.parametrize("slug", sorted(probes.exercises()))
def test_an_exercise_has_samples_of_mistakes_that_it_catches_and_of_no_others(slug: str) -> None:
    assert SAMPLED[slug] <= probes.catches(slug)
    assert len(SAMPLED[slug]) >= min(5, len(probes.catches(slug)))
