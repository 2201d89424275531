import torch


def attend(v, k, q, mask, d_k):
    scores = torch.matmul(q, k.transpose(-2, -1)) / d_k**0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, v), weights


def attention(query, key, value, mask=None):
    return attend(query, key, value, mask, query.size(-1))
