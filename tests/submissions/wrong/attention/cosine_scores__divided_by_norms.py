import math

import torch


def attention(query, key, value, mask=None):
    norms = query.norm(dim=-1).unsqueeze(-1) * key.norm(dim=-1).unsqueeze(-2)
    scores = torch.matmul(query, key.transpose(-2, -1)) / norms / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = torch.matmul(weights, value)
    return output, weights
