"""Exercise files in, calls out: each case drawn with torch alone, so that the reference is tested without the grader."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
import yaml

ROOT = Path(__file__).parents[2]


def load_reference() -> ModuleType:
    """Load `reference_impl` by path, under a name that nothing else imports."""
    name = "reference_under_test"
    if name not in sys.modules:
        folder = ROOT / "reference_impl"
        spec = importlib.util.spec_from_file_location(
            name, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@cache
def read(path: str) -> Any:
    """Return the data of a YAML file of the repository."""
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


@cache
def exercises() -> dict[str, Any]:
    """Return every exercise by slug, its cases by their English names."""
    found = {path.stem[3:]: read(f"exercises/{path.name}") for path in sorted((ROOT / "exercises").glob("*.yaml"))}
    return {slug: {**each, "cases": [in_english(case) for case in each["cases"]]} for slug, each in found.items()}


def in_english(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return a case with its name as one text."""
    name = case["name"]
    return {**case, "name": name["en"] if isinstance(name, dict) else name}


def calls(
    exercise: Mapping[str, Any], seed: int = 0, dtype: torch.dtype = torch.float64
) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield each case with its arguments."""
    for number, case in enumerate(exercise["cases"]):
        generator = torch.Generator().manual_seed(1000 * seed + number)
        sizes = {
            axis: size if isinstance(size, int) else int(torch.randint(size[0], size[1] + 1, (), generator=generator))
            for axis, size in case.items()
            if axis not in NO_AXES
        }
        kinds = {**(exercise.get("inputs") or exercise["call"]), **case.get("inputs", {})}
        drawn = {name: draw(kind, sizes, generator) for name, kind in kinds.items() if name not in case.get("omit", ())}
        if "call" in exercise:  # a module: what it is built from, and its parameters
            made = {**exercise["build"], **case.get("build", {})}
            drawn |= {name: draw(kind, sizes, generator) for name, kind in made.items()}
            state = {**exercise.get("state", {}), **case.get("state", {})}
            drawn["state"] = {name: draw(kind, sizes, generator) for name, kind in state.items()}
        yield case, {name: in_dtype(value, dtype) for name, value in drawn.items()}


@dataclass(frozen=True)
class Earlier:
    """Stands for a result of an earlier case."""

    case: str
    result: str


class NoEarlierResult(Exception):
    """There is no such result: the earlier case raised, or gave something else."""


def each(
    function: Callable[..., Any], exercise: Mapping[str, Any], cases: Iterable[tuple[Any, dict[str, Any]]]
) -> Iterator[tuple[Any, Any]]:
    """Yield each case with what a function gives there. Results of earlier cases are its own."""
    names = list(exercise["returns"]) if isinstance(exercise["returns"], dict) else []
    done: dict[str, Any] = {}

    def resolved(value: Any) -> Any:
        if not isinstance(value, Earlier):
            return value
        given = done[value.case]
        if value.result:
            given = (
                given[names.index(value.result)]
                if isinstance(given, (tuple, list)) and len(given) == len(names)
                else None
            )
        if not torch.is_tensor(given):
            raise NoEarlierResult("the earlier case has no such result")
        return given.clone()

    for case, arguments in cases:
        done[case["name"]] = call(
            lambda given: function(**{n: resolved(v) for n, v in given.items()}), {"given": arguments}
        )
        yield case, done[case["name"]]


NO_AXES = {"name", "hidden", "weight", "omit", "raises", "inputs", "build", "state"}


def in_dtype(value: Any, dtype: torch.dtype) -> Any:
    """Return an argument with its floating tensors in a dtype."""
    if isinstance(value, dict):
        return {name: in_dtype(item, dtype) for name, item in value.items()}
    return value.to(dtype) if is_float(value) else value


def size(axis: str | int, sizes: Mapping[str, int]) -> int:
    """Return the size of an axis, which may be a number, a product or a sum."""
    if isinstance(axis, int):
        return axis
    return sum(math.prod(sizes[t] if t in sizes else int(t) for t in term.split("*")) for term in axis.split("+"))


def draw(kind: Mapping[str, Any], sizes: Mapping[str, int], generator: torch.Generator) -> Any:
    """Draw one argument."""
    word, axes = next(iter(kind.items()))
    shape = tuple(size(axis, sizes) for axis in axes) if isinstance(axes, list) and word != "value" else ()
    return DRAWS[word](shape, kind, sizes, generator)


def bool_mask(shape: tuple[int, ...], generator: torch.Generator) -> torch.Tensor:
    mask = torch.rand(shape, generator=generator) < 0.5
    order = torch.rand(shape, generator=generator).argsort(-1)  # two different keys of each row
    return mask.scatter(-1, order[..., :1], True).scatter(-1, order[..., 1:2], False)


def outlier(tensor: torch.Tensor, kind: Mapping[str, Any]) -> torch.Tensor:
    tensor[..., 0, :] = tensor[..., 0, :] * kind.get("times", 1.0) + kind.get("plus", 0.0)
    return tensor


def masked_scores(shape: tuple[int, ...], generator: torch.Generator, empty_row: bool) -> torch.Tensor:
    scores = torch.randn(shape, generator=generator).masked_fill(~bool_mask(shape, generator), -torch.inf)
    if empty_row:
        scores[..., 0, :] = -torch.inf
    return scores


def padding_mask(shape: tuple[int, ...]) -> torch.Tensor:
    lengths = (shape[-1] - 1 - torch.arange(shape[0])).clamp(min=1)
    return (torch.arange(shape[-1]) < lengths.view(-1, *[1] * (len(shape) - 1))).expand(shape)


def arrays(kind: Mapping[str, Any], sizes: Mapping[str, int], generator: torch.Generator) -> dict[str, torch.Tensor]:
    roots = {name: size(axes[-1], sizes) ** 0.5 if len(axes) > 1 else 1.0 for name, axes in kind["arrays"].items()}
    scales = {name: kind.get("scale", 1.0) / root for name, root in roots.items()}
    return {n: draw({"normal": axes, "scale": scales[n]}, sizes, generator) for n, axes in kind["arrays"].items()}


def token_ids(
    shape: tuple[int, ...], kind: Mapping[str, Any], sizes: Mapping[str, int], generator: torch.Generator
) -> torch.Tensor:
    ids = torch.randint(kind.get("first", 0), size(kind["below"], sizes), shape, generator=generator)
    return ids if kind.get("pad") is None else ids.where(padding_mask(shape), kind["pad"])


def lengths(shape: tuple[int, ...], least: int, longest: int, generator: torch.Generator) -> torch.Tensor:
    order = least + torch.randperm(longest + 1 - least, generator=generator)
    return order[torch.arange(math.prod(shape)) % len(order)].view(shape)


def causal_mask(shape: tuple[int, ...]) -> torch.Tensor:
    return torch.ones(shape, dtype=torch.bool).tril(shape[-1] - shape[-2])


DRAWS: dict[str, Callable[..., Any]] = {
    "normal": lambda shape, kind, sizes, g: torch.randn(shape, generator=g) * kind.get("scale", 1.0),
    "integers": lambda shape, kind, sizes, g: torch.randint(kind["low"], kind["high"] + 1, shape, generator=g).float(),
    "identity": lambda shape, kind, sizes, g: torch.eye(*shape[-2:]).expand(shape),
    "outlier": lambda shape, kind, sizes, g: outlier(torch.randn(shape, generator=g), kind),
    "masked_scores": lambda shape, kind, sizes, g: masked_scores(shape, g, kind.get("empty_row", False)),
    "weights": lambda shape, kind, sizes, g: torch.softmax(
        torch.randn(shape, generator=g) * kind.get("sharpness", 1.0), -1
    ),
    "bool_mask": lambda shape, kind, sizes, g: bool_mask(shape, g),
    "padding_mask": lambda shape, kind, sizes, g: padding_mask(shape),
    "causal_mask": lambda shape, kind, sizes, g: causal_mask(shape),
    "full_mask": lambda shape, kind, sizes, g: torch.ones(shape, dtype=torch.bool),
    "arrays": lambda shape, kind, sizes, g: arrays(kind, sizes, g),
    "token_ids": lambda shape, kind, sizes, g: token_ids(shape, kind, sizes, g),
    "result_of": lambda shape, kind, sizes, g: Earlier(*(kind["result_of"] + ".").split(".")[:2]),
    "value": lambda shape, kind, sizes, g: tuple(kind["value"]) if isinstance(kind["value"], list) else kind["value"],
    "lengths": lambda shape, kind, sizes, g: lengths(shape, kind.get("least", 1), size(kind["of"], sizes), g),
    "size": lambda shape, kind, sizes, g: size(kind["size"], sizes),
    "shape": lambda shape, kind, sizes, g: shape,
    "device": lambda shape, kind, sizes, g: torch.device("cpu"),
}


Outcome = Any
"""What a call gave: a tensor, a tuple, or the exception that it raised."""


def call(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Outcome:
    """Return the result of a call, or the exception."""
    try:
        return function(**arguments)
    except Exception as error:
        return error


def wrong(function: Callable[..., Any], mistake: str) -> Callable[..., Any]:
    """Return a reference function with the steps of a mistake."""
    reference = load_reference()
    steps = replace(reference.CORRECT, **reference.MISTAKES[mistake])
    return lambda **arguments: function(**arguments, steps=steps)


def same(a: Outcome, b: Outcome, atol: float = 1e-9, rtol: float = 1e-9) -> bool:
    """Whether two outcomes are one: structure, shape, kind and numbers, NaN where NaN is, or the same sort of exception."""
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(same(x, y, atol, rtol) for x, y in zip(a, b, strict=True))
    if torch.is_tensor(a) and torch.is_tensor(b):
        if a.shape != b.shape or a.is_floating_point() != b.is_floating_point():
            return False
        return torch.allclose(a.double(), b.double(), atol=atol, rtol=rtol, equal_nan=True)
    if isinstance(a, Exception) or isinstance(b, Exception):
        return isinstance(a, type(b)) or isinstance(b, type(a))
    return type(a) is type(b) and bool(a == b)


def is_float(value: Any) -> bool:
    """Whether a value is a tensor of floating point numbers."""
    return torch.is_tensor(value) and value.is_floating_point()


def catches(slug: str) -> set[str]:
    """Return the ids that an exercise promises to catch, groups taken apart."""
    groups = exercises()[slug]["catches"]
    return {mistake for group in groups for mistake in ([group] if isinstance(group, str) else group)}


def without_steps(slug: str) -> set[str]:
    """Return the ids that an exercise promises and that show in no value: in how a module is made, or in training."""
    return {mistake for mistake in catches(slug) if not load_reference().MISTAKES[mistake]}


def named_by_checks(slug: str) -> set[str]:
    """Return the ids that checks of an exercise name by themselves, where the values are right."""
    options = [option for check in exercises()[slug]["checks"] if isinstance(check, dict) for option in check.values()]
    ids = load_reference().MISTAKES
    return {value for option in options for value in option.values() if isinstance(value, str) and value in ids}
