import torch


def attention(query, key, value, mask=None):
    scores = query @ key.transpose(-2, -1)
    scores = scores / scores.size(-1) ** 0.5
    if mask is not None:
        scores = torch.where(mask, scores, float("-inf"))
    weights = scores.softmax(dim=-1)
    return torch.einsum("...qk,...kd->...qd", weights, value), weights
