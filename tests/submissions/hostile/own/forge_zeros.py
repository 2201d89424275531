# attack: forge_zeros
# goal: tell the whole story itself, with zeros, and leave
# want: fail
# control: yes

import json, os, struct

def _frame(tag, content=None):
    text = b"" if content is None else json.dumps(content).encode()
    os.write(3, tag + struct.pack("<I", len(text)) + text)

P = {"printed": 0}

import sys

def _ours(name):
    """A local of some frame of the grader's, by name."""
    frame = sys._getframe()
    while frame is not None:
        if name in frame.f_locals and "sandbox" in frame.f_code.co_filename:
            return frame.f_locals[name]
        frame = frame.f_back

area = _ours("area")
header = json.dumps({"0": {"dtype": "F32", "shape": [2, 4, 16, 8], "data_offsets": [0, 4096]}}).encode()
header += b" " * (-(8 + len(header)) % 64)
result = struct.pack("<Q", len(header)) + header + bytes(4096)
_frame(b"L", P)
for i in range(8):
    area[i * len(result) : (i + 1) * len(result)] = result
    _frame(b"B", {"call": i})
    _frame(b"R", {"call": i, "value": ["t", 0, "cpu"], "at": [i * len(result), len(result), 1], "changed": [], **P})
_frame(b"D", P)
os._exit(0)
