# attack: forge_length
# goal: announce a frame of four gigabytes
# want: fail
# control: yes

import json, os, struct

def _frame(tag, content=None):
    text = b"" if content is None else json.dumps(content).encode()
    os.write(3, tag + struct.pack("<I", len(text)) + text)

P = {"printed": 0}

os.write(3, b"L" + b"\xff" * 4 + b"{" * 100_000)
os._exit(0)
