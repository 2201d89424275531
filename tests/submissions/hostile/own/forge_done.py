# attack: forge_done
# goal: say that it is done before it has begun
# want: fail
# control: yes

import json, os, struct

def _frame(tag, content=None):
    text = b"" if content is None else json.dumps(content).encode()
    os.write(3, tag + struct.pack("<I", len(text)) + text)

P = {"printed": 0}

_frame(b"L", P)
_frame(b"D", P)
os._exit(0)
