import math

import torch


def attention(query, key, value, mask=None):
    # keys first: (..., n_k, n_q), so softmax runs along axis -2
    scores = key @ query.transpose(-2, -1) / math.sqrt(query.shape[-1])
    if mask is not None:
        n_q, n_k = query.shape[-2], key.shape[-2]
        allowed = mask.expand(*mask.shape[:-2], n_q, n_k).transpose(-2, -1)
        scores = scores.masked_fill(~allowed, -math.inf)
    weights = torch.softmax(scores, dim=-2)
    output = value.transpose(-2, -1) @ weights
    return output.transpose(-2, -1), weights.transpose(-2, -1)
