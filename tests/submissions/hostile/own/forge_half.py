# attack: forge_half
# goal: announce a frame, send half of it, and wait
# want: fail
# control: yes
# ends: timed_out

import json, os, struct

def _frame(tag, content=None):
    text = b"" if content is None else json.dumps(content).encode()
    os.write(3, tag + struct.pack("<I", len(text)) + text)

P = {"printed": 0}

import time
os.write(3, b"L" + struct.pack("<I", 1000) + b'{"printed"')
time.sleep(60)
