"""Tensors to bytes and back: the safetensors format in numpy alone, with a reader that trusts nothing.

Layout: 8 bytes little-endian header length, a JSON header `{name: {"dtype", "shape", "data_offsets"}}` padded with spaces, then the data.
The reader asks for more than the format does: no metadata, gap, overlap or name twice, plain ASCII, caps. `C128` alone is ours.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.model import Tensor

Array = np.ndarray[Any, Any]
MB, ALIGN = 1 << 20, 64
LONG_NUMBER = re.compile(rb"[0-9]{200}")


class WireError(Exception):
    """Bytes that are not what they claim to be, or a tensor that the format cannot hold."""


@dataclass(frozen=True)
class Caps:
    """The most that a reader accepts."""

    bytes: int = 256 * MB
    header: int = 64 * 1024
    tensors: int = 256
    dims: int = 16
    numel: int = 1 << 26


def _same(array: Array) -> Array:
    return array


def _widen_bfloat16(bits: Array) -> Array:
    wide: Array = (bits.astype(np.uint32) << 16).view(np.float32)
    return wide


def _narrow_bfloat16(array: Array) -> Array:
    """Round to the nearest bfloat16, ties to even; NaN stays NaN."""
    bits = np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
    rounded = bits + (((bits >> np.uint32(16)) & np.uint32(1)) + np.uint32(0x7FFF))
    narrow: Array = np.where(np.isnan(array), np.uint32(0x7FC0), rounded >> np.uint32(16)).astype(np.uint16)
    return narrow


def _float8_values(exponent_bits: int, bias: int, finite: bool) -> Array:
    """All 256 values of a float8 format by code. `finite`: no infinity, and only all ones is NaN (e4m3fn)."""
    mantissa_bits = 7 - exponent_bits
    values = []
    for code in range(256):
        exponent = (code >> mantissa_bits) & ((1 << exponent_bits) - 1)
        mantissa = code & ((1 << mantissa_bits) - 1)
        fraction = mantissa / (1 << mantissa_bits)
        number = math.ldexp(1 + fraction, exponent - bias) if exponent else math.ldexp(fraction, 1 - bias)
        if finite:
            number = math.nan if code & 0x7F == 0x7F else number
        elif exponent == (1 << exponent_bits) - 1:
            number = math.nan if mantissa else math.inf
        values.append(-number if code & 0x80 else number)
    return np.array(values, dtype=np.float32)


E4M3FN = _float8_values(4, 7, finite=True)
E5M2 = _float8_values(5, 15, finite=False)


def _widen_by(table: Array) -> Callable[[Array], Array]:
    return lambda codes: table[codes]


def _narrow_by(table: Array) -> Callable[[Array], Array]:
    def narrow(array: Array) -> Array:
        """Find the code of each number; refuse one that the format does not hold exactly."""
        known = {number: code for code, number in reversed(list(enumerate(table.tolist()))) if number == number}
        codes = np.array([known.get(number, -1) for number in np.asarray(array, dtype=np.float32).ravel().tolist()])
        if (codes < 0).any():
            raise WireError("a number that float8 does not hold exactly")
        narrow_codes: Array = codes.astype(np.uint8).reshape(array.shape)
        return narrow_codes

    return narrow


@dataclass(frozen=True)
class Kind:
    """How one dtype of the format lies in the file, and in `Tensor.array`."""

    torch: str
    stored: np.dtype[Any]
    widen: Callable[[Array], Array] = _same
    narrow: Callable[[Array], Array] = _same


def _plain(torch_name: str, numpy_name: str) -> Kind:
    return Kind(torch_name, np.dtype(numpy_name).newbyteorder("<"))


KINDS: Mapping[str, Kind] = {
    "BOOL": _plain("bool", "bool"),
    "U8": _plain("uint8", "uint8"),
    "I8": _plain("int8", "int8"),
    "U16": _plain("uint16", "uint16"),
    "I16": _plain("int16", "int16"),
    "U32": _plain("uint32", "uint32"),
    "I32": _plain("int32", "int32"),
    "U64": _plain("uint64", "uint64"),
    "I64": _plain("int64", "int64"),
    "F16": _plain("float16", "float16"),
    "F32": _plain("float32", "float32"),
    "F64": _plain("float64", "float64"),
    "C64": _plain("complex64", "complex64"),
    "C128": _plain("complex128", "complex128"),
    "BF16": Kind("bfloat16", np.dtype("<u2"), _widen_bfloat16, _narrow_bfloat16),
    "F8_E4M3": Kind("float8_e4m3fn", np.dtype("u1"), _widen_by(E4M3FN), _narrow_by(E4M3FN)),
    "F8_E5M2": Kind("float8_e5m2", np.dtype("u1"), _widen_by(E5M2), _narrow_by(E5M2)),
}
NAMES: Mapping[str, str] = {kind.torch: name for name, kind in KINDS.items()}


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
    header, start = _header(data, caps)
    if names is not None and set(header) != set(names):
        raise WireError("other tensors than were asked for")
    if len(header) > caps.tensors:
        raise WireError("too many tensors")
    entries = {name: _entry(entry, caps) for name, entry in header.items()}
    expected = 0
    for begin, end in sorted((begin, end) for _, _, begin, end in entries.values()):
        if begin != expected:
            raise WireError("a gap or an overlap")
        expected = end
    if start + expected != len(data):
        raise WireError("more or fewer bytes than announced")
    return {
        name: _tensor(kind, shape, data[start + begin : start + end])
        for name, (kind, shape, begin, end) in entries.items()
    }


def _tensor(kind: Kind, shape: tuple[int, ...], data: bytes) -> Tensor:
    if kind.torch == "bool" and data.translate(None, b"\x00\x01"):
        raise WireError("a truth value that is neither 0 nor 1")
    try:
        array = np.frombuffer(data, dtype=kind.stored).reshape(shape)
    except ValueError:  # without elements a shape can still be larger than numpy's
        raise WireError("an impossible shape") from None
    return Tensor(kind.torch, np.array(kind.widen(array)))


def _header(data: bytes, caps: Caps) -> tuple[dict[str, Any], int]:
    if not 8 <= len(data) <= caps.bytes:
        raise WireError("too few or too many bytes")
    length = int.from_bytes(data[:8], "little")
    if length > caps.header or 8 + length > len(data):
        raise WireError("a header that is too long")
    header = strict_json(data[8 : 8 + length])
    if type(header) is not dict:
        raise WireError("a header that is not an object")
    return header, 8 + length


def _entry(entry: Any, caps: Caps) -> tuple[Kind, tuple[int, ...], int, int]:
    if type(entry) is not dict or set(entry) != {"dtype", "shape", "data_offsets"}:
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
    if type(numbers) is not list or any(type(n) is not int or not 0 <= n <= most for n in numbers):
        raise WireError("something other than whole numbers in range")


def strict_json(data: bytes) -> Any:
    """Parse ASCII JSON without duplicate keys, NaN or numbers of thousands of digits; raise WireError for anything else."""
    try:
        if LONG_NUMBER.search(data):  # turning digits into a number takes their square
            raise WireError("a number of too many digits")
        return _DECODER.decode(data.decode("ascii"))
    except (ValueError, RecursionError) as error:
        raise WireError(f"not plain JSON: {type(error).__name__}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise WireError("a key twice")
    return found


def _no_constant(word: str) -> Any:
    raise WireError(word)


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)
