import torch.nn.functional as F


def attention(query, key, value, mask=None):
    scores = query * key / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights
