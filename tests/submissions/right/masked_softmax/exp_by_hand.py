import torch


def masked_softmax(scores, mask):
    low = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    shifted = scores - low.amax(dim=-1, keepdim=True)
    exps = torch.where(mask, torch.exp(shifted.masked_fill(~mask, 0.0)), 0.0)
    total = exps.sum(dim=-1, keepdim=True)
    return exps / total.masked_fill(total == 0, 1.0)
