import math

import torch


def softmax(x):
    x = x - x.max(dim=-1, keepdim=True).values
    e = x.exp()
    return e / e.sum(dim=-1, keepdim=True)


def attention(query, key, value, mask=None):
    s = query.matmul(key.transpose(-1, -2)).div(math.sqrt(query.shape[-1]))
    if mask is not None:
        s = s.masked_fill(~mask, -math.inf)
    w = softmax(s)
    return w.matmul(value), w
