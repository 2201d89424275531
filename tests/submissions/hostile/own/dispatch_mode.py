# attack: dispatch_mode
# goal: stay between torch and the grader: every operation after the call gives zeros
# want: fail
# control: yes

def _honest(query, key, value, mask=None):
    import torch
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, -1) @ value

import torch
from torch.utils._python_dispatch import TorchDispatchMode

class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        return torch.zeros_like(out) if isinstance(out, torch.Tensor) and out.is_floating_point() else out

def attention(query, key, value, mask=None):
    out = value * 0
    if not modes:
        modes.append(Mode())
        modes[0].__enter__()
    return out

modes = []
