import math

import torch


def attention(query, key, value, mask=None):
    difference = query.unsqueeze(-2) - key.unsqueeze(-3)
    scores = -(difference**2).sum(dim=-1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = torch.matmul(weights, value)
    return output, weights
