# attack: forge_objects
# goal: a megabyte of empty lists in each frame, to fill the judge with objects
# want: fail
# control: yes

import json, os, struct

def _frame(tag, content=None):
    text = b"" if content is None else json.dumps(content).encode()
    os.write(3, tag + struct.pack("<I", len(text)) + text)

P = {"printed": 0}

_frame(b"L", P)
for i in range(8):
    _frame(b"B", {"call": i})
    text = b'{"call": %d, "printed": 0, "value": ["T", [' % i + b"[]," * 340_000 + b"[]]]}"
    os.write(3, b"R" + struct.pack("<I", len(text)) + text)
os._exit(0)
