"""Tensors to bytes and back: the safetensors format in numpy alone, with a reader that trusts nothing.

Layout: 8 bytes little-endian header length, a JSON header `{name: {"dtype", "shape", "data_offsets"}}` padded with spaces, then the data.
The reader asks for more than the format does: no metadata, gap, overlap or name twice, plain ASCII, caps. `C128` alone is ours.
"""

from __future__ import annotations

import functools
import json
import math
import struct
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from grader.model import Tensor
from grader.stages.sandbox.dtypes import KINDS, NAMES, Array, Kind
from grader.stages.sandbox.strict import WireError, strict_json

MB, ALIGN = 1 << 20, 64
SHORT = 1024  # bytes of a header that is kept
ENTRY = {"dtype", "shape", "data_offsets"}


@dataclass(frozen=True)
class Caps:
    """The most that a reader accepts."""

    bytes: int = 256 * MB
    header: int = 64 * 1024
    tensors: int = 256
    dims: int = 16
    numel: int = 1 << 26


def pack(tensors: Mapping[str, Tensor]) -> bytes:
    """Return `tensors` as safetensors bytes, widest items first and data at a multiple of 64 (so that every item is aligned).

    Raises WireError for a dtype that the format does not know.
    """
    stored: dict[str, tuple[str, Array]] = {}
    for name, tensor in tensors.items():
        if tensor.dtype not in NAMES:
            raise WireError(f"dtype {tensor.dtype}")
        kind = KINDS[NAMES[tensor.dtype]]
        stored[name] = NAMES[tensor.dtype], np.asarray(kind.narrow(tensor.array), dtype=kind.stored)
    header: dict[str, Any] = {}
    parts: list[bytes] = []
    end = 0
    for name in sorted(stored, key=lambda n: -stored[n][1].itemsize):
        dtype, array = stored[name]
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [end, end + array.nbytes]}
        parts.append(array.tobytes())
        end += array.nbytes
    text = json.dumps(header).encode("ascii")
    text += b" " * (-(8 + len(text)) % ALIGN)
    return b"".join((struct.pack("<Q", len(text)), text, *parts))


def unpack(data: bytes, *, names: Collection[str] | None = None, caps: Caps = Caps()) -> dict[str, Tensor]:
    """Return the tensors in `data`, copied out of it. `names`: exactly those must be there.

    Raises WireError unless every byte of `data` is accounted for.
    """
    if not 8 <= len(data) <= caps.bytes:
        raise WireError("too few or too many bytes")
    length = int.from_bytes(data[:8], "little")
    if length > caps.header or 8 + length > len(data):
        raise WireError("a header that is too long")
    entries, end = (_known_layout if length <= SHORT else _layout)(data[8 : 8 + length], caps)
    if names is not None and entries.keys() != set(names):
        raise WireError("other tensors than were asked for")
    start = 8 + length
    if start + end != len(data):
        raise WireError("more or fewer bytes than announced")
    return {name: _tensor(kind, shape, data[start + b : start + e]) for name, (kind, shape, b, e) in entries.items()}


def _tensor(kind: Kind, shape: tuple[int, ...], data: bytes) -> Tensor:
    if kind.torch == "bool" and data.translate(None, b"\x00\x01"):
        raise WireError("a truth value that is neither 0 nor 1")
    try:
        array = np.frombuffer(data, dtype=kind.stored).reshape(shape)
    except ValueError:  # without elements a shape can still be larger than numpy's
        raise WireError("an impossible shape") from None
    return Tensor(kind.torch, np.array(kind.widen(array)))


Entry = tuple["Kind", tuple[int, ...], int, int]


def _layout(text: bytes, caps: Caps) -> tuple[Mapping[str, Entry], int]:
    """Return what a header announces by name, and where the data ends."""
    header = strict_json(text)
    if type(header) is not dict:
        raise WireError("a header that is not an object")
    if len(header) > caps.tensors:
        raise WireError("too many tensors")
    entries = {name: _entry(entry, caps) for name, entry in header.items()}
    expected = 0
    for begin, end in sorted((begin, end) for _, _, begin, end in entries.values()):
        if begin != expected:
            raise WireError("a gap or an overlap")
        expected = end
    return MappingProxyType(entries), expected


_known_layout = functools.lru_cache(maxsize=512)(_layout)  # right answers of a class have the same headers


def _entry(entry: Any, caps: Caps) -> Entry:
    if type(entry) is not dict or entry.keys() != ENTRY:
        raise WireError("an entry with other keys")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if type(dtype) is not str or dtype not in KINDS:
        raise WireError("an unknown dtype")
    _whole_numbers(shape, caps.numel)
    _whole_numbers(offsets, caps.bytes)
    if len(shape) > caps.dims or len(offsets) != 2:
        raise WireError("too many dimensions")
    numel = math.prod(shape)
    if numel > caps.numel:
        raise WireError("too many elements")
    kind = KINDS[dtype]
    begin, end = offsets
    if end - begin != numel * kind.stored.itemsize:
        raise WireError("a shape that does not fit its bytes")
    return kind, tuple(shape), begin, end


def _whole_numbers(numbers: Any, most: int) -> None:
    # type() is: True is an int to isinstance, and 1.0 would pass a comparison
    if type(numbers) is not list:
        raise WireError("something other than whole numbers in range")
    for number in numbers:
        if type(number) is not int or not 0 <= number <= most:
            raise WireError("something other than whole numbers in range")
