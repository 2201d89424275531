"""Arguments of ours in, what a reference takes out, and its results back: torch tensors, or numpy arrays where a course has those.

torch is imported where a course uses it, and not before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.model import NUMPY, TORCH, Device, Tensor, Value


@dataclass(frozen=True)
class Library:
    """How to talk to a reference: `given` makes one argument (floating ones of a dtype, unless None), `taken` reads a
    result, and what it does inside `quiet` is neither recorded nor warned of."""

    given: Callable[[Value, str | None], Any]
    taken: Callable[[Any], Value]
    quiet: Callable[[], AbstractContextManager[Any]]


def all_given(library: Library, arguments: Mapping[str, Value], dtype: str | None) -> dict[str, Any]:
    """Return arguments as a reference takes them."""
    return {name: library.given(value, dtype) for name, value in arguments.items()}


def _to_torch(value: Value, dtype: str | None) -> Any:
    import torch

    if isinstance(value, Tensor):
        tensor = torch.from_numpy(value.array.copy())
        return tensor.to(getattr(torch, dtype)) if dtype and value.dtype.startswith("float") else tensor
    if isinstance(value, dict):
        return {key: _to_torch(item, dtype) for key, item in value.items()}
    return torch.device("cpu") if isinstance(value, Device) else value


def _from_torch(value: Any) -> Value:
    import torch

    if isinstance(value, torch.Tensor):
        dense = value.detach().cpu().contiguous()
        return Tensor(str(dense.dtype).removeprefix("torch."), dense.numpy())
    return _parts(value, _from_torch)


def _no_grad() -> AbstractContextManager[Any]:
    import torch

    return torch.no_grad()


def _to_numpy(value: Value, dtype: str | None) -> Any:
    if isinstance(value, Tensor):
        return value.array.astype(dtype if dtype and value.dtype.startswith("float") else value.array.dtype)
    return value


def _from_numpy(value: Any) -> Value:
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.array(value)
        return Tensor(str(array.dtype), array)
    return _parts(value, _from_numpy)


def _parts(value: Any, taken: Callable[[Any], Value]) -> Value:
    if isinstance(value, (tuple, list)):
        return tuple(taken(item) for item in value)
    if isinstance(value, dict):
        return {str(key): taken(item) for key, item in value.items()}
    return value


LIBRARIES: Mapping[str, Library] = {
    TORCH: Library(_to_torch, _from_torch, _no_grad),
    NUMPY: Library(_to_numpy, _from_numpy, lambda: np.errstate(all="ignore")),
}
