# attack: forge_places
# goal: a fault at line 10 ** 12 and column 10 ** 12, of a file with a name of its own
# want: fail
# control: yes

import json, os, struct

def _frame(tag, content=None):
    text = b"" if content is None else json.dumps(content).encode()
    os.write(3, tag + struct.pack("<I", len(text)) + text)

P = {"printed": 0}

fault = {"kind": "syntax", "type": "SyntaxError", "text": "x", "lines": [[10 ** 12, "", "x"]], "column": 10 ** 12}
_frame(b"F", {"fault": fault, **P})
os._exit(0)
