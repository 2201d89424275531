# attack: forge_flood
# goal: send frames without end
# want: fail
# control: yes

import json, os, struct

def _frame(tag, content=None):
    text = b"" if content is None else json.dumps(content).encode()
    os.write(3, tag + struct.pack("<I", len(text)) + text)

P = {"printed": 0}

_frame(b"L", P)
i = 0
while True:
    _frame(b"B", {"call": i})
    _frame(b"R", {"call": i, "value": ["s", "x" * 60_000], **P})
    i += 1
