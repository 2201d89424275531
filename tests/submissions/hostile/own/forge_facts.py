# attack: forge_facts
# goal: claims that nobody asked for: facts of a module, gradients, changes of what is no argument
# want: fail
# control: yes

import json, os, struct

def _frame(tag, content=None):
    text = b"" if content is None else json.dumps(content).encode()
    os.write(3, tag + struct.pack("<I", len(text)) + text)

P = {"printed": 0}

_frame(b"L", P)
_frame(b"B", {"call": 0})
_frame(b"R", {"call": 0, "value": ["n"], "changed": [["query"]], "gradients": [["n"]] * 1000,
              "module": {"parameters": [], "buffers": [], "left_behind": [], "halved": []}, **P})
os._exit(0)
