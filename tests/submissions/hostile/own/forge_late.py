# attack: forge_late
# goal: speak again after the last word
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

import sys
channel = sys.modules["channel"]
send = channel.Channel.send

def more(self, tag, content=None, hold=False):
    send(self, tag, content, hold)
    if tag == b"D":
        send(self, b"R", {"call": 7, "value": ["n"], **P})
        send(self, b"D", P)

channel.Channel.send = more

def attention(query, key, value, mask=None):
    return _honest(query, key, value, mask)
