import torch
from einops import einsum


def attention(query, key, value, mask=None):
    scores = einsum(query, key, "... i d, ... j d -> ... i j") / query.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return einsum(weights, value, "... i j, ... j e -> ... i e"), weights
