# attack: forge_missing
# goal: leave out every second call
# want: fail
# control: yes

import json, os, struct

def _frame(tag, content=None):
    text = b"" if content is None else json.dumps(content).encode()
    os.write(3, tag + struct.pack("<I", len(text)) + text)

P = {"printed": 0}

_frame(b"L", P)
for i in range(0, 8, 2):
    _frame(b"B", {"call": i})
    _frame(b"R", {"call": i, "value": ["n"], **P})
_frame(b"D", P)
os._exit(0)
