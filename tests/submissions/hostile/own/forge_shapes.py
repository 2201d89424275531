# attack: forge_shapes
# goal: tensors without elements whose shapes no array can have
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
_frame(b"L", P)
place = 0
for i in range(8):
    shape = [0] + [1 << 26] * 15 if i % 2 else [1 << 26, 0, 1 << 26, 1 << 26]
    header = json.dumps({"0": {"dtype": "F32", "shape": shape, "data_offsets": [0, 0]}}).encode()
    area[place : place + 8 + len(header)] = struct.pack("<Q", len(header)) + header
    _frame(b"B", {"call": i})
    _frame(b"R", {"call": i, "value": ["t", 0, "cpu"], "at": [place, 8 + len(header), 1], **P})
    place += 8 + len(header)
_frame(b"D", P)
os._exit(0)
