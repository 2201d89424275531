# attack: forge_wishes
# goal: ask for module after module, and go on asking when that is no longer allowed
# want: fail
# control: yes
# ends: crashed

import json, os, struct

def _frame(tag, content=None):
    text = b"" if content is None else json.dumps(content).encode()
    os.write(3, tag + struct.pack("<I", len(text)) + text)

P = {"printed": 0}

_frame(b"N", {"module": "sympy", **P})
os._exit(0)
