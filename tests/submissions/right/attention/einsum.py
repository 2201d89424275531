import torch


def attention(query, key, value, mask=None):
    scores = torch.einsum("...id,...jd->...ij", query, key) * query.shape[-1] ** -0.5
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    weights = scores.softmax(-1)
    return torch.einsum("...ij,...je->...ie", weights, value), weights
