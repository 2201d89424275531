import math

import torch


def attention(query, key, value, mask=None):
    n_k, d_k = key.shape[-2:]
    scores = torch.matmul(query, key.reshape(*key.shape[:-2], d_k, n_k)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    output = torch.matmul(weights, value)
    return output, weights
