# attack: module_lies
# goal: replace what torch says about itself: default device, dtype, modes that are never left
# want: any
# control: yes

import torch, warnings
warnings.simplefilter("error")
torch.set_default_dtype(torch.float64)
torch.inference_mode().__enter__()
torch.set_grad_enabled(False)
torch.use_deterministic_algorithms(True)
torch.set_printoptions(profile="full")
torch.set_default_device("meta")

def _honest(query, key, value, mask=None):
    import torch
    scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, -1) @ value

def attention(query, key, value, mask=None):
    return _honest(query, key, value, mask)
