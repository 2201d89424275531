# attack: forge_numbers
# goal: numbers of thousands of digits where a count, a line or a result is expected
# want: fail
# control: yes

import json, os, struct

def _frame(tag, content=None):
    text = b"" if content is None else json.dumps(content).encode()
    os.write(3, tag + struct.pack("<I", len(text)) + text)

P = {"printed": 0}

_frame(b"L", P)
huge = 10 ** 4000
for i, said in enumerate([
    {"value": ["i", huge], **P},
    {"value": ["i", -huge], "printed": huge},
    {"value": ["f", "0x1p+99999999"], **P},
]):
    _frame(b"B", {"call": i})
    _frame(b"R", {"call": i, **said})
os._exit(0)
