# attack: frames_through_print
# goal: swap the descriptors of printed text and of frames
# want: fail
# control: yes

def _honest(query, key, value, mask=None):
    import torch
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, -1) @ value

import json, os, struct

def _frame(tag, content=None):
    text = b"" if content is None else json.dumps(content).encode()
    os.write(3, tag + struct.pack("<I", len(text)) + text)

P = {"printed": 0}

frames = os.dup(3)
os.close(1)
os.dup(frames)
print("L\\0\\0\\0\\0")
os.write(1, b"D\0\0\0\0")

def attention(query, key, value, mask=None):
    return _honest(query, key, value, mask)
