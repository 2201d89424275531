# attack: forge_area
# goal: let every call claim the whole result area, so that the judge holds it eight times
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
size = (len(area) - 128) // 4 * 4
header = json.dumps({"0": {"dtype": "F8_E4M3", "shape": [size], "data_offsets": [0, size]}}).encode()
header += b" " * (120 - len(header))
area[:128] = struct.pack("<Q", 120) + header
_frame(b"L", P)
for i in range(8):
    _frame(b"B", {"call": i})
    _frame(b"R", {"call": i, "value": ["t", 0, "cpu"], "at": [0, 128 + size, 1], **P})
_frame(b"D", P)
os._exit(0)
