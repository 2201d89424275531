import torch.nn.functional as F


def attention(query, key, value, mask=None):
    query = query / query.shape[-1] ** 0.5
    scores = query @ key.mT
    if mask is not None:
        scores.masked_fill_(~mask, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return weights @ value, weights
