import math

import torch


def attention(query, key, value, mask=None):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    e = torch.exp(scores)
    if mask is not None:
        e = e * mask
    weights = e / e.sum(dim=-1, keepdim=True)
    output = torch.matmul(weights, value)
    return output, weights
