"""The reference in, a function that quiz keys are computed with out: numpy in, numpy back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from grader.kinds.questions import CallReference, NoSuchCall
from grader.model import NUMPY, TORCH, message
from grader.stages.compute import Reference
from grader.stages.ended import unended


def caller(reference: Reference, arrays: str = TORCH) -> CallReference:
    """Return what quizzes call: a function of the reference by name, right or with a mistake; `arrays` are the course's."""

    def call(function: str, arguments: Mapping[str, Any], mistake: str | None = None) -> Any:
        found = reference.functions.get(function)
        if found is None:
            raise NoSuchCall(message("the reference has no function {name}", name=function))
        if mistake is not None and mistake not in reference.mistakes:
            raise NoSuchCall(message("the reference has no mistake {name}", name=mistake))
        steps = replace(reference.steps, **reference.mistakes[mistake]) if mistake else reference.steps
        try:
            given = {name: value if arrays == NUMPY else to_torch(value) for name, value in arguments.items()}
            with unended():
                return from_torch(found(**given, steps=steps))
        except Exception as error:  # whatever the arguments in a quiz file bring about is the author's to know
            what = f"{type(error).__name__}: {error}"
            raise NoSuchCall(message("{function} of the reference: {what}", function=function, what=what)) from error

    return call


def to_torch(value: Any) -> Any:
    """Return an array as a tensor; numbers and tuples stay what they are."""
    return torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value


def from_torch(value: Any) -> Any:
    """Return tensors as arrays, also inside tuples, lists and mappings."""
    if isinstance(value, torch.Tensor):
        return value.detach().numpy()
    if isinstance(value, np.generic):
        return np.asarray(value)
    if isinstance(value, (tuple, list)):
        return tuple(from_torch(part) for part in value)
    if isinstance(value, dict):
        return {name: from_torch(part) for name, part in value.items()}
    return value
