# attack: forge_our_fault
# goal: report a fault of the grader, so that nobody scores this a zero
# want: fail
# control: yes
# ends: crashed

import json, os, struct

def _frame(tag, content=None):
    text = b"" if content is None else json.dumps(content).encode()
    os.write(3, tag + struct.pack("<I", len(text)) + text)

P = {"printed": 0}

_frame(b"G", {"type": "KeyError", "text": "repeat", "where": "learner.py:1"})
os._exit(3)
