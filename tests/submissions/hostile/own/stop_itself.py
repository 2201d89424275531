# attack: stop_itself
# goal: stop its own process, so that no clock of CPU time runs
# want: fail
# control: yes
# ends: timed_out

def _honest(query, key, value, mask=None):
    import torch
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, -1) @ value

import os, signal

def attention(query, key, value, mask=None):
    os.kill(os.getpid(), signal.SIGSTOP)
    return _honest(query, key, value, mask)
