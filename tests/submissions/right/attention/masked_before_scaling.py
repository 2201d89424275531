import torch


def attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = (scores / query.shape[-1] ** 0.5).softmax(dim=-1)
    return weights @ value, weights
