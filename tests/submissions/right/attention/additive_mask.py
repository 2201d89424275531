import torch


def attention(query, key, value, mask=None):
    bias = 0.0
    if mask is not None:
        bias = (1.0 - mask.to(query.dtype)) * -1e9
    weights = torch.softmax(query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5 + bias, dim=-1)
    return weights @ value, weights
