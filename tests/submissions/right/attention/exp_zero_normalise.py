import torch


def attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    highest = scores.masked_fill(~mask, float("-inf")).amax(dim=-1, keepdim=True)
    numerators = torch.where(mask, torch.exp((scores - highest).clamp(max=0)), torch.zeros_like(scores))
    weights = numerators / numerators.sum(dim=-1, keepdim=True)
    return weights @ value, weights
