import math

import torch


def attention(query, key, value, mask=None):
    d_k = query.size(-1)
    query = query / math.sqrt(d_k)
    scores = query @ key.transpose(-2, -1) / math.sqrt(d_k)
    if mask is not None:
        scores = torch.where(mask, scores, float("-inf"))
    weights = scores.softmax(dim=-1)
    return torch.einsum("...qk,...kd->...qd", weights, value), weights
