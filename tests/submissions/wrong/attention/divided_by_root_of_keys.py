import math

import torch.nn.functional as F


def attention(query, key, value, mask=None):
    n = key.size(-2)
    scores = query @ key.transpose(-2, -1) / math.sqrt(n)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights
