import torch


def attend(q, v, k, mask):
    scores = torch.matmul(q, k.transpose(-2, -1)) / q.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, v), weights


def attention(query, key, value, mask=None):
    return attend(query, key, value, mask)
