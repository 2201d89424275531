import torch


def attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    e = torch.exp(scores - scores.amax(dim=(-2, -1), keepdim=True))
    weights = e / e.sum(dim=(-2, -1), keepdim=True)
    return weights @ value, weights
