import torch.nn.functional as F


def attention(query, key, value, mask=None):
    scale = query.size(-1) ** -0.5
    scores = query @ key.transpose(-2, -1) / scale
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights
