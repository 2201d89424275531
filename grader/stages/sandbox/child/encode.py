"""In the child: what the learner's function returned to a tree, and its tensors to bytes in the result area.

The other end is `values.py` and `wire.py` in the judge, which trusts nothing that is written here.
"""

from __future__ import annotations

import ctypes
import json
import struct
import types
from typing import Any

import numpy
import torch
from arguments import DTYPES  # type: ignore[import-not-found]
from faults import Theirs, out_of_memory  # type: ignore[import-not-found]

NAMES = {dtype: name for name, dtype in DTYPES.items()}
MAX_TENSORS, MAX_NODES, MAX_DEPTH, MAX_BITS = 64, 2048, 8, 256
MAX_TEXT, MAX_LETTERS = 4096, 16 * 1024  # of one text, and of all
MOST_OF_REPEATED = 1024  # tensors of a call that is repeated
ALIGN = 64


class TooMany(Exception):
    """A value of more parts than may travel."""


class Tree:
    """A returned value as a tree, its tensors plain, dense and on the CPU in `tensors`.

    With `arrays`, numpy arrays and numbers travel in place of tensors.
    """

    def __init__(self, value: Any, room: int, repeat: int = 1, arrays: bool = False):
        self.arrays = arrays
        self.tensors: list[torch.Tensor] = []  # as sent
        self.results: list[torch.Tensor] = []  # as the learner returned them
        self.nodes, self.letters, self.room = 0, 0, room
        self.most = MAX_TENSORS if repeat == 1 else MOST_OF_REPEATED
        with torch._C.DisableTorchFunctionSubclass():
            try:
                self.root = self.node(value, 0)
            except TooMany:
                self.root, self.tensors, self.results = ["u", "many"], [], []

    def node(self, value: Any, depth: int) -> list[Any]:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise TooMany
        if depth > MAX_DEPTH:
            return ["u", "deep"]
        kind = type(value)
        if self.arrays and issubclass(kind, (torch.Tensor, numpy.ndarray, numpy.generic)):
            return ["u", "torch_tensor"] if issubclass(kind, torch.Tensor) else self.array(value)
        if issubclass(kind, torch.Tensor):  # not isinstance: __class__ can lie
            return self.tensor(value)
        if issubclass(kind, numpy.generic):
            value = numpy.generic.item(value)
            kind = type(value)
        for base, make in _WRITE:
            if issubclass(kind, base):
                made: list[Any] = make(self, value, depth)
                return made
        return ["u", "object"]

    def tensor(self, value: torch.Tensor) -> list[Any]:
        try:
            word, plain = _plain(value, self.room)
        except BaseException as error:
            word, plain = _why_not(value, error), None
        if plain is None:
            return ["u", word]
        if len(self.tensors) >= self.most:
            return ["u", "many"]
        self.room -= plain.numel() * plain.element_size()
        self.tensors.append(plain)
        self.results.append(value)
        return ["t", len(self.tensors) - 1, str(value.device)]

    def array(self, value: Any) -> list[Any]:
        """A numpy array or number, as a tensor of the same numbers."""
        plain = value if issubclass(type(value), numpy.ndarray) else numpy.array(value)
        if numpy.ndarray.nbytes.__get__(plain) > self.room:
            return ["u", "large"]  # said before any copy: broadcast_to() makes terabytes
        try:
            plain = numpy.array(plain, order="C", copy=True, subok=False)
            return self.tensor(torch.from_numpy(plain.astype(plain.dtype.newbyteorder("="), copy=False)))
        except TypeError:
            return ["u", "array_dtype"]

    def many(self, tag: str, kind: Any, value: Any, depth: int) -> list[Any]:
        items = kind.__getitem__(value, slice(MAX_NODES))
        return [tag, [self.node(item, depth + 1) for item in items]]

    def write(self, text: str) -> str:
        self.letters += len(text)
        if self.letters > MAX_LETTERS:
            raise TooMany
        return text

    def dict(self, value: Any, depth: int) -> list[Any]:
        if dict.__len__(value) > MAX_NODES:
            raise TooMany
        items = list(dict.items(value))
        if any(type(key) is not str or len(key) > MAX_TEXT or not key.isprintable() for key, _ in items):
            return ["u", "keys"]
        for key, _ in items:
            self.write(key)
        return ["D", [[key, self.node(item, depth + 1)] for key, item in items]]


PLAIN_TENSORS = (torch.Tensor, torch.nn.Parameter)


def _why_not(value: torch.Tensor, error: BaseException) -> str:
    """The word for a tensor that raised when it was taken apart; raise again what is ours, or an end that was meant."""
    if not isinstance(error, Exception):
        raise Theirs(error) from None
    # RuntimeError is how torch says that a tensor has no numbers to give. A subclass may raise anything.
    if out_of_memory(error) or (type(value) in PLAIN_TENSORS and not isinstance(error, RuntimeError)):
        raise error
    return "broken"


# What belongs to the types themselves, so that nothing that a subclass defines is called.


def _text(tree: Tree, value: Any, depth: int) -> list[Any]:
    text = str.__str__(value)
    if len(text) > MAX_TEXT:
        return ["u", "long"]
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")  # half a surrogate pair is no text
    return ["s", tree.write(text)]


def _whole(tree: Tree, value: Any, depth: int) -> list[Any]:
    number = int.__index__(value)
    return ["u", "huge"] if number.bit_length() > MAX_BITS else ["i", number]


def _complex(tree: Tree, value: Any, depth: int) -> list[Any]:
    return ["c", *(float.hex(part.__get__(value)) for part in (vars(complex)["real"], vars(complex)["imag"]))]


_WRITE: tuple[tuple[Any, Any], ...] = (
    (type(None), lambda tree, value, depth: ["n"]),
    (bool, lambda tree, value, depth: ["b", value is True]),
    (int, _whole),
    (float, lambda tree, value, depth: ["f", float.hex(value)]),
    (complex, _complex),
    (str, _text),
    (tuple, lambda tree, value, depth: tree.many("T", tuple, value, depth)),
    (list, lambda tree, value, depth: tree.many("L", list, value, depth)),
    (dict, lambda tree, value, depth: tree.dict(value, depth)),
    *(
        (kind, lambda tree, value, depth, word=word: ["u", word])
        for kind, word in (
            (numpy.ndarray, "array"),
            (types.GeneratorType, "generator"),
            ((types.CoroutineType, types.AsyncGeneratorType), "coroutine"),
            ((types.FunctionType, types.BuiltinFunctionType, types.MethodType), "function"),
            (type, "class"),
            (torch.nn.Module, "module"),
            ((set, frozenset), "set"),
            ((bytes, bytearray, memoryview), "bytes"),
            ((map, filter, zip, enumerate, reversed, range), "iterator"),
            (torch.device, "device"),
            (torch.dtype, "torch_dtype"),
            (type(...), "ellipsis"),
        )
    ),
)


def _plain(value: torch.Tensor, room: int) -> tuple[str, torch.Tensor | None]:
    """Return (word, None) for a tensor that cannot travel, else ("", a plain dense contiguous CPU tensor without history)."""
    if torch._C._functorch.is_functorch_wrapped_tensor(value):
        return "wrapped", None
    if value.is_nested:
        return "nested", None
    if value.layout is not torch.strided:
        return "mkldnn" if value.is_mkldnn else "sparse", None
    if value.is_quantized:
        return "quantized", None
    if value.device.type == "meta":
        return "meta", None
    if value.dtype not in NAMES:
        return "dtype", None
    longest = max(value.shape, default=0)  # an empty tensor may have one axis of any length
    if value.numel() * value.element_size() > room or value.dim() > 16 or longest > 1 << 26:
        return "large", None  # said before any copy: expand() makes terabytes
    plain = value.detach()
    if type(plain) is not torch.Tensor:
        plain = plain.as_subclass(torch.Tensor)
    if plain._is_zerotensor():  # zeros that have no memory, as some derivatives are
        plain = plain.clone()
    return "", plain.resolve_conj().resolve_neg().cpu().contiguous()


def tensor_bytes(tensor: torch.Tensor) -> torch.Tensor:
    """A contiguous tensor as a flat uint8 view."""
    return tensor.reshape(-1).view(torch.uint8) if tensor.numel() else torch.empty(0, dtype=torch.uint8)


class Area:
    """The memory that results are written to, one after the other; the judge reads it when this process is dead."""

    def __init__(self, view: Any):
        self.view, self.used = view, 0
        self.address = ctypes.addressof(ctypes.c_ubyte.from_buffer(view))

    @property
    def room(self) -> int:
        return len(self.view) - self.used

    def write(self, tensors: list[torch.Tensor]) -> list[int] | None:
        """Write `tensors` as safetensors bytes; return [offset, length, how many], or None when they do not fit."""
        sizes = [tensor.numel() * tensor.element_size() for tensor in tensors]
        order = sorted(range(len(tensors)), key=lambda i: -tensors[i].element_size())
        header: dict[str, Any] = {}
        end = 0
        for i in order:
            begin, end = end, end + sizes[i]
            shape = list(tensors[i].shape)
            header[str(i)] = {"dtype": NAMES[tensors[i].dtype], "shape": shape, "data_offsets": [begin, end]}
        text = json.dumps(header).encode("ascii")
        text += b" " * (-(8 + len(text)) % ALIGN)
        begin = self.used
        data = begin + 8 + len(text)
        if data + end > len(self.view):
            return None
        self.view[begin:data] = struct.pack("<Q", len(text)) + text
        for i in order:
            if sizes[i]:
                ctypes.memmove(self.address + data, tensors[i].data_ptr(), sizes[i])
                data += sizes[i]
        self.used = data
        return [begin, data - begin, len(tensors)]
