import torch.nn.functional as F


def attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    best = scores.argmax(dim=-1)
    weights = F.one_hot(best, scores.shape[-1]).to(value.dtype)
    return weights @ value, weights
