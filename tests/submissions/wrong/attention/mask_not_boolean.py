import torch.nn.functional as F


def attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    if mask is not None:
        forbidden = 1 - mask.int()
        scores = scores.masked_fill(forbidden, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights
