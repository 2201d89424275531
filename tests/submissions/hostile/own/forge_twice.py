# attack: forge_twice
# goal: answer a call twice, the second time by the honest way
# want: fail
# control: yes

import json, os, struct

def _frame(tag, content=None):
    text = b"" if content is None else json.dumps(content).encode()
    os.write(3, tag + struct.pack("<I", len(text)) + text)

P = {"printed": 0}

def _honest(query, key, value, mask=None):
    import torch
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, -1) @ value

def attention(query, key, value, mask=None):
    _frame(b"R", {"call": 0, "value": ["n"], **P})
    return _honest(query, key, value, mask)
