# attack: forge_texts
# goal: half of a surrogate pair, escapes and a megabyte of text as values and names
# want: fail
# control: yes

import json, os, struct

def _frame(tag, content=None):
    text = b"" if content is None else json.dumps(content).encode()
    os.write(3, tag + struct.pack("<I", len(text)) + text)

P = {"printed": 0}

_frame(b"L", P)
for i, value in enumerate([
    ["s", "\ud800"], ["D", [["\udfff\x1b[2J", ["n"]]]], ["s", "\u202e\x00"], ["D", [["a" * 100_000, ["n"]]]],
    ["u", "a compliment"], ["T", [["s", "x" * 70_000]]],
]):
    _frame(b"B", {"call": i})
    _frame(b"R", {"call": i, "value": value, **P})
os._exit(0)
