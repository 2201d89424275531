# attack: patched_tensor
# goal: change the methods of torch.Tensor that the grader uses after the call
# want: fail
# control: yes

import torch

def attention(query, key, value, mask=None):
    right = value * 0
    for name in ("numel", "element_size", "dim", "contiguous", "cpu", "resolve_conj", "resolve_neg", "detach", "clone", "reshape", "view", "copy_"):
        setattr(torch.Tensor, name, lambda self, *a, **k: self)
    torch.equal = lambda *a: True
    return right
