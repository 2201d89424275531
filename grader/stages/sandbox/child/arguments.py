"""In the child: the tensors and trees that the judge sent to torch values, new ones for each call."""

from __future__ import annotations

import json
import struct
from typing import Any

import torch

DTYPES = {
    "BOOL": torch.bool,
    "U8": torch.uint8,
    "I8": torch.int8,
    "U16": torch.uint16,
    "I16": torch.int16,
    "U32": torch.uint32,
    "I32": torch.int32,
    "U64": torch.uint64,
    "I64": torch.int64,
    "F16": torch.float16,
    "F32": torch.float32,
    "F64": torch.float64,
    "C64": torch.complex64,
    "C128": torch.complex128,
    "BF16": torch.bfloat16,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E5M2": torch.float8_e5m2,
}


class Arguments:
    """The tensors that the judge sent; each call gets copies of its own."""

    def __init__(self, data: Any, device: str):
        (length,) = struct.unpack_from("<Q", data)
        self.header = json.loads(bytes(data[8 : 8 + length]))
        self.data, self.start, self.device = data, 8 + length, device
        self.views: dict[int, torch.Tensor] = {}

    def sent(self, number: int) -> torch.Tensor:
        """A tensor as it was sent, in the memory that it was sent in: to compare with, not to give away."""
        if number not in self.views:
            self.views[number] = self.view(number)
        return self.views[number]

    def view(self, number: int) -> torch.Tensor:
        entry = self.header[str(number)]
        begin, end = entry["data_offsets"]
        dtype = DTYPES[entry["dtype"]]
        if begin == end:
            return torch.empty(entry["shape"], dtype=dtype)
        count = (end - begin) // dtype.itemsize
        flat = torch.frombuffer(self.data, dtype=dtype, count=count, offset=self.start + begin)
        return flat.view(entry["shape"])

    def tensor(self, number: int) -> torch.Tensor:
        copy = self.sent(number).clone()
        return copy if self.device == "cpu" else copy.to(self.device)

    def value(self, node: list[Any]) -> Any:
        tag = node[0]
        if tag == "t":
            return self.tensor(node[1])
        return _READ[tag](self, *node[1:])


_READ: dict[str, Any] = {
    "n": lambda self: None,
    "b": lambda self, flag: flag,
    "i": lambda self, number: number,
    "f": lambda self, text: float.fromhex(text),
    "c": lambda self, re, im: complex(float.fromhex(re), float.fromhex(im)),
    "s": lambda self, text: text,
    "d": lambda self, name: torch.device(name),
    "T": lambda self, items: tuple(self.value(item) for item in items),
    "L": lambda self, items: [self.value(item) for item in items],
    "D": lambda self, pairs: {key: self.value(item) for key, item in pairs},
}
