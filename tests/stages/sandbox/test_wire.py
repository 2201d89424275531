"""Tensors survive the way there and back; bytes that lie are refused, and nothing but WireError comes of them."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
import safetensors
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.model import Tensor
from grader.stages.sandbox.dtypes import E4M3FN, E5M2, KINDS
from grader.stages.sandbox.strict import WireError
from grader.stages.sandbox.wire import Caps, pack, unpack

F32 = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


def crafted(header: Any, data: bytes = b"\0" * 8, length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def some(dtype: str) -> Tensor:
    if dtype.startswith("float8"):
        return Tensor(dtype, np.array([[0.5, -1.0], [2.0, 0.0]], dtype=np.float32))
    if dtype == "bfloat16":
        return Tensor(dtype, np.array([1.5, -np.inf, 0.0], dtype=np.float32))
    return Tensor(dtype, np.arange(6).reshape(2, 3).astype(dtype))


@pytest.mark.parametrize("dtype", sorted(kind.torch for kind in KINDS.values()))
def test_every_dtype_survives_the_way_there_and_back(dtype: str) -> None:
    sent = {"a": some(dtype), "b": Tensor("float32", np.zeros((0, 3), np.float32)), "c": Tensor("bool", np.array(True))}
    got = unpack(pack(sent), names=["a", "b", "c"])
    for name, tensor in sent.items():
        assert (got[name].dtype, got[name].shape) == (tensor.dtype, tensor.shape)
        assert np.array_equal(got[name].array, tensor.array)


def test_the_library_reads_what_we_write_and_we_read_what_it_writes() -> None:
    import torch
    from safetensors.torch import load, save

    tensors = {
        "x": torch.randn(3, 4),
        "y": torch.arange(5),
        "z": torch.randn(2).to(torch.bfloat16),
        "e": torch.zeros(0),
    }
    got = unpack(save(tensors))
    assert {k: v.dtype for k, v in got.items()} == {"x": "float32", "y": "int64", "z": "bfloat16", "e": "float32"}
    back = load(pack(got))
    assert all(torch.equal(back[name], tensor) for name, tensor in tensors.items())
    with pytest.raises(safetensors.SafetensorError):
        load(pack({"c": Tensor("complex128", np.zeros(1, complex))}))  # our own extension


def test_narrow_floats_are_those_of_torch() -> None:
    import torch

    codes = torch.arange(256, dtype=torch.int16).to(torch.uint8)
    for table, dtype in ((E4M3FN, torch.float8_e4m3fn), (E5M2, torch.float8_e5m2)):
        assert np.array_equal(table, codes.view(dtype).float().numpy(), equal_nan=True)
    numbers = np.random.default_rng(0).standard_normal(4096).astype(np.float32) * 1e3
    numbers[:4] = [np.inf, -np.inf, 0.0, 1e-40]
    sent = unpack(pack({"x": Tensor("bfloat16", numbers)}))["x"].array
    assert np.array_equal(sent, torch.from_numpy(numbers).to(torch.bfloat16).float().numpy())
    assert np.isnan(unpack(pack({"x": Tensor("bfloat16", np.array([np.nan], np.float32))}))["x"].array).all()


def test_a_number_that_float8_does_not_hold_is_refused() -> None:
    with pytest.raises(WireError, match="float8"):
        pack({"x": Tensor("float8_e5m2", np.array([0.1], np.float32))})


def test_an_unknown_dtype_is_refused() -> None:
    with pytest.raises(WireError, match="float128"):
        pack({"x": Tensor("float128", np.zeros(1))})


def changed(**about: Any) -> dict[str, Any]:
    return {"x": F32 | about}


LIES = {
    "nothing": b"",
    "seven bytes": b"\0" * 7,
    "length beyond the data": crafted({"x": F32}, length=10_000),
    "length of 2**60": crafted({"x": F32}, length=1 << 60),
    "not JSON": crafted(b"{"),
    "not an object": crafted([]),
    "200000 brackets": crafted(b"[" * 60_000),
    "not ASCII": crafted('{"é": 1}'.encode()),
    "a key twice": crafted(b'{"x": 1, "x": 2}'),
    "NaN in the header": crafted(b'{"x": NaN}'),
    "an entry that is no object": crafted({"x": 1}),
    "metadata": crafted({"x": F32, "__metadata__": {}}),
    "another key": crafted(changed(more=1)),
    "an unknown dtype": crafted(changed(dtype="F128")),
    "a dtype that is a list": crafted(changed(dtype=["F32"])),
    "a negative size": crafted(changed(shape=[-2])),
    "a size that is true": crafted({"x": {"dtype": "U8", "shape": [True], "data_offsets": [0, 1]}}, b"\0"),
    "a size that is 2.0": crafted(changed(shape=[2.0])),
    "a shape that is no list": crafted(changed(shape="2")),
    "too many dimensions": crafted(changed(shape=[1] * 20 + [2])),
    "a shape of 2**93 elements": crafted(changed(shape=[1 << 25, 1 << 25, 1 << 25, 1 << 18])),
    "a shape larger than the data": crafted(changed(shape=[3])),
    "a digit bomb": crafted(b'{"x": ' + b"9" * 10_000 + b"}"),
    "offsets outside": crafted(changed(data_offsets=[8, 16])),
    "offsets backwards": crafted(changed(data_offsets=[8, 0])),
    "three offsets": crafted(changed(data_offsets=[0, 4, 8])),
    "a shape without elements that no array has": crafted(
        {"x": {"dtype": "F32", "shape": [1 << 26, 0, 1 << 26, 1 << 26], "data_offsets": [0, 0]}}, b""
    ),
    "an overlap": crafted({"x": F32, "y": F32}),
    "a gap": crafted({"x": F32, "y": F32 | {"data_offsets": [12, 20]}}, b"\0" * 20),
    "bytes at the end": crafted({"x": F32}, b"\0" * 9),
    "bytes missing": crafted({"x": F32}, b"\0" * 7),
    "a truth value of 2": crafted({"x": {"dtype": "BOOL", "shape": [2], "data_offsets": [0, 2]}}, b"\1\2"),
}


@pytest.mark.parametrize("data", LIES.values(), ids=LIES)
def test_bytes_that_lie_are_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        unpack(data)


def test_the_crafted_bytes_are_right_where_they_do_not_lie() -> None:
    assert unpack(crafted({"x": F32}))["x"].shape == (2,)


def test_caps_and_names_are_kept() -> None:
    data = pack({"x": Tensor("float32", np.zeros((4, 4), np.float32)), "y": Tensor("bool", np.array(False))})
    for caps in (Caps(bytes=len(data) - 1), Caps(header=8), Caps(tensors=1), Caps(dims=1), Caps(numel=15)):
        with pytest.raises(WireError):
            unpack(data, caps=caps)
    for names in (["x"], ["x", "y", "z"], []):
        with pytest.raises(WireError):
            unpack(data, names=names)


GOOD = pack({name: some(dtype) for name, dtype in zip("abcd", ["float32", "bfloat16", "bool", "int64"], strict=True)})


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), min_size=1, max_size=6), st.integers(0, 40)
)
def test_damaged_bytes_are_read_or_refused_and_nothing_else(damage: list[tuple[int, int]], cut: int) -> None:
    data = bytearray(GOOD)
    for place, byte in damage:
        data[place] = byte
    try:
        got = unpack(bytes(data[: len(data) - cut] if cut > 20 else data))
    except WireError:
        return
    assert all(tensor.dtype in {kind.torch for kind in KINDS.values()} for tensor in got.values())
