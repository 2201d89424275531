# attack: area_after_frames
# goal: report a right result, then write zeros over it while the judge still waits
# want: fail
# control: yes

def _honest(query, key, value, mask=None):
    import torch
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, -1) @ value

import sys

def _ours(name):
    """A local of some frame of the grader's, by name."""
    frame = sys._getframe()
    while frame is not None:
        if name in frame.f_locals and "sandbox" in frame.f_code.co_filename:
            return frame.f_locals[name]
        frame = frame.f_back

import sys
channel = sys.modules["channel"]
send = channel.Channel.send
area = _ours("area")

def later(self, tag, content=None, hold=False):
    send(self, tag, content, hold)
    if tag == b"R" and content["call"] == 3:
        offset, length, _ = content["at"]
        area[offset + length - 64 : offset + length] = bytes(64)

channel.Channel.send = later

def attention(query, key, value, mask=None):
    return _honest(query, key, value, mask)
