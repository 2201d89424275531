"""How each dtype lies in a safetensors file and in `Tensor.array`. numpy knows neither bfloat16 nor float8: both are float32 there."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.stages.sandbox.strict import WireError

Array = np.ndarray[Any, Any]


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
