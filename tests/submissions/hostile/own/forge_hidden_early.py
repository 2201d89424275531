# attack: forge_hidden_early
# goal: tell the open calls quickly, to see the hidden ones while printing still counts
# want: fail
# control: yes
# hidden: yes

import json, os, struct

def _frame(tag, content=None):
    text = b"" if content is None else json.dumps(content).encode()
    os.write(3, tag + struct.pack("<I", len(text)) + text)

P = {"printed": 0}

def _say(ok, what):
    print(("EVIDENCE-SUCCESS " if ok else "EVIDENCE-BLOCKED ") + what, flush=True)

_frame(b"L", P)
for i in range(6):
    _frame(b"B", {"call": i})
    _frame(b"R", {"call": i, "value": ["n"], **P})
_frame(b"W", P)
seen = os.read(0, 1 << 20)
_say(len(seen) > 8, f"hidden request of {len(seen)} bytes: {seen[:60].hex()}")
os._exit(0)
