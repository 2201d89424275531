import torch


def masked_attention(q, k, v, mask=None):
    scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-2, -1)
    exps = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    if mask is not None:
        exps = exps * mask
    total = exps.sum(dim=-1, keepdim=True)
    return exps @ v / torch.where(total == 0, torch.ones_like(total), total)
