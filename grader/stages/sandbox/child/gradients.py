"""In the child: gradients of what the learner's function returned, for arguments and for parameters of a module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from encode import Tree  # type: ignore[import-not-found]
from faults import Theirs, theirs  # type: ignore[import-not-found]


def sources(names: list[str], values: Mapping[str, Any], module: Any) -> list[Any]:
    """What gradients are asked for: arguments, or parameters by name; None for what cannot have one."""

    def find() -> list[Any]:
        parameters = dict(module.named_parameters()) if module is not None else {}
        found = [values.get(name, parameters.get(name)) for name in names]
        return [one if one is not None and one.requires_grad else None for one in found]

    return list(theirs(find))


def gradient_nodes(results: list[Any], sources: list[Any], cotangent: list[Any], tensors: list[Any]) -> list[Any]:
    """The gradient of sum(result * cotangent) for each source as a node; its tensor is added to `tensors`."""
    if len(results) != len(cotangent):
        raise Theirs(ValueError(f"{len(results)} tensors returned, {len(cotangent)} expected"))
    leaves = [source for source in sources if source is not None]
    found = iter(theirs(differentiate, results, cotangent, leaves) or [None] * len(leaves))
    nodes: list[Any] = []
    for source in sources:
        inner = Tree(None if source is None else next(found), 1 << 40)
        if inner.tensors:
            tensors.append(inner.tensors[0])
            inner.root[1] = len(tensors) - 1
        nodes.append(inner.root)
    return nodes


def differentiate(results: list[Any], cotangent: list[Any], leaves: list[Any]) -> list[Any]:
    """The gradients for `leaves`; nothing where no result has a history, None for a leaf that is in none."""
    total = None
    for result, factor in zip(results, cotangent, strict=True):
        if result.shape != factor.shape:
            raise ValueError(f"a result of shape {tuple(result.shape)}, expected {tuple(factor.shape)}")
        if result.requires_grad:
            # not grad_outputs=: checking those imports sympy, a third of a second
            part = (result * factor).sum()
            total = part if total is None else total + part
    return [] if total is None or not leaves else list(torch.autograd.grad(total, leaves, allow_unused=True))
