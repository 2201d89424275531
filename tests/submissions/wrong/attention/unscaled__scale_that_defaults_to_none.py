import torch


def scores_of(query, key, scale=None):
    scores = query @ key.transpose(-2, -1)
    if scale:
        scores = scores / scale
    return scores


def attention(query, key, value, mask=None):
    scores = scores_of(query, key)
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    weights = torch.softmax(scores, dim=-1)
    return weights @ value, weights
