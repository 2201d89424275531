"""Values to JSON trees and back; tensors travel beside the tree, under the number that the tree gives them.

A node is a list that starts with its tag: `["n"]` None, `["b", true]`, `["i", 3]`, `["f", "0x1.8p+0"]` (hexadecimal, exact),
`["c", re, im]`, `["s", "text"]`, `["t", number, device]` a tensor, `["d", name]` a device, `["T", [...]]` a tuple,
`["L", [...]]` a list, `["D", [[key, node], ...]]` a dict, `["u", word]` a value that cannot travel. `child/encode.py` is
the other end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from grader.model import Device, Message, Tensor, Unsupported, Value, message
from grader.stages.sandbox.strict import WireError

UNSUPPORTED: Mapping[str, Message] = {
    "sparse": message("a sparse tensor"),
    "mkldnn": message("a tensor in an MKLDNN layout"),
    "quantized": message("a quantized tensor"),
    "nested": message("a nested tensor"),
    "meta": message("a tensor on the meta device, which holds no numbers"),
    "wrapped": message("a tensor that belongs to vmap or grad and is of no use outside"),
    "dtype": message("a tensor of a dtype that is not supported"),
    "broken": message("a tensor whose numbers cannot be read"),
    "large": message("more data than a result may hold"),
    "many": message("more values than a result may hold"),
    "deep": message("values nested too deeply"),
    "long": message("a text that is too long"),
    "huge": message("a whole number that is too large"),
    "array": message("a numpy array"),
    "array_dtype": message("an array of a dtype that is not supported"),
    "torch_tensor": message("a torch tensor"),
    "keys": message("a dict whose keys are not texts"),
    "generator": message("a generator"),
    "coroutine": message("a coroutine"),
    "iterator": message("an iterator"),
    "function": message("a function"),
    "class": message("a class"),
    "module": message("a module"),
    "set": message("a set"),
    "bytes": message("bytes"),
    "device": message("a torch device"),
    "torch_dtype": message("a torch dtype"),
    "ellipsis": message("an ellipsis (...)"),
    "object": message("an object of some other class"),
}
"""What the child may say of a value that cannot travel, and how a learner reads it."""

MAX_NODES = 4096
MAX_DEPTH = 16
MAX_BITS = 512  # of a whole number: what follows turns it into a float
MAX_TEXT = 1 << 16
DEVICE = re.compile(r"(cpu|cuda|mps|xpu|meta)(:\d{1,2})?")


class TensorStore:
    """Collects the tensors of many trees; the same array is sent once."""

    def __init__(self) -> None:
        self.tensors: dict[str, Tensor] = {}
        self._numbers: dict[int, int] = {}

    def number(self, tensor: Tensor) -> int:
        found = self._numbers.get(id(tensor.array))
        if found is not None and self.tensors[str(found)].dtype == tensor.dtype:
            return found
        number = len(self.tensors)
        self.tensors[str(number)] = tensor  # held here, so its id stays taken
        self._numbers[id(tensor.array)] = number
        return number


def encode(value: Value, store: TensorStore) -> list[Any]:
    """Return the tree of an argument and put its tensors into `store`."""
    for kinds, make in _ENCODERS:
        if isinstance(value, kinds):
            return make(value, store)
    raise WireError(f"an argument of type {type(value).__name__}")


_ENCODERS: tuple[tuple[Any, Callable[[Any, TensorStore], list[Any]]], ...] = (
    (type(None), lambda v, s: ["n"]),
    (bool, lambda v, s: ["b", v]),  # before int: True is one
    (int, lambda v, s: ["i", int(v)]),
    (float, lambda v, s: ["f", float(v).hex()]),
    (complex, lambda v, s: ["c", v.real.hex(), v.imag.hex()]),
    (str, lambda v, s: ["s", str(v)]),
    (Tensor, lambda v, s: ["t", s.number(v), v.device]),
    (Device, lambda v, s: ["d", v.name]),
    (tuple, lambda v, s: ["T", [encode(x, s) for x in v]]),
    (list, lambda v, s: ["L", [encode(x, s) for x in v]]),
    (dict, lambda v, s: ["D", [[str(k), encode(x, s)] for k, x in v.items()]]),
)


def decode(node: Any, tensors: Mapping[str, Tensor]) -> Value:
    """Return the value of a tree that the child wrote; raise WireError for anything out of the ordinary."""
    return _decode(node, tensors, [MAX_NODES], MAX_DEPTH)


def _decode(node: Any, tensors: Mapping[str, Tensor], left: list[int], depth: int) -> Value:
    left[0] -= 1
    if left[0] < 0 or depth < 0 or type(node) is not list or not node or type(node[0]) is not str:
        raise WireError("a malformed value")
    tag, *rest = node
    if tag in _INNER and len(rest) == 1 and type(rest[0]) is list:
        return _INNER[tag](rest[0], lambda inner: _decode(inner, tensors, left, depth - 1))
    if tag == "t" and len(rest) == 2:
        return _tensor(rest[0], rest[1], tensors)
    types, make = _LEAVES.get(tag, ((type,), None))
    if make is None or tuple(type(x) for x in rest) != types:
        raise WireError("a malformed value")
    return make(*rest)


def _tensor(number: Any, device: Any, tensors: Mapping[str, Tensor]) -> Tensor:
    if type(number) is not int or str(number) not in tensors or type(device) is not str:
        raise WireError("a malformed tensor")
    if device != "cpu" and not DEVICE.fullmatch(device):
        raise WireError("a malformed tensor")
    held = tensors[str(number)]
    return Tensor(held.dtype, held.array, device)


def _whole(number: int) -> int:
    if number.bit_length() > MAX_BITS:
        raise WireError("a whole number that is too large")
    return number


def _text(text: str) -> str:
    if len(text) > MAX_TEXT or (not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text)):
        raise WireError("a text that is too long, or none")
    return text


def _float(text: str) -> float:
    if len(text) > 32:
        raise WireError("a malformed number")
    try:
        return float.fromhex(text)
    except (ValueError, OverflowError):
        raise WireError("a malformed number") from None


def _unsupported(word: str) -> Unsupported:
    if word not in UNSUPPORTED:
        raise WireError("an unknown word")
    return Unsupported(UNSUPPORTED[word].template)


_LEAVES: Mapping[str, tuple[tuple[type, ...], Callable[..., Value] | None]] = {
    "n": ((), lambda: None),
    "b": ((bool,), bool),
    "i": ((int,), _whole),
    "f": ((str,), _float),
    "c": ((str, str), lambda re, im: complex(_float(re), _float(im))),
    "s": ((str,), _text),
    "u": ((str,), _unsupported),
}


def _dict(pairs: list[Any], inner: Callable[[Any], Value]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for pair in pairs:
        if type(pair) is not list or len(pair) != 2 or type(pair[0]) is not str or pair[0] in found:
            raise WireError("a malformed dict")
        found[_text(pair[0])] = inner(pair[1])
    return found


_INNER: Mapping[str, Callable[[list[Any], Callable[[Any], Value]], Value]] = {
    "T": lambda items, inner: tuple(inner(item) for item in items),
    "L": lambda items, inner: [inner(item) for item in items],
    "D": _dict,
}
