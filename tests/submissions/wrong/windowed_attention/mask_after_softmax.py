import math

import torch


def windowed_attention(q, k, v, w):
    n = q.shape[-2]
    band = torch.ones(n, n, dtype=torch.bool).tril(w).triu(-w)
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return (weights * band) @ v
