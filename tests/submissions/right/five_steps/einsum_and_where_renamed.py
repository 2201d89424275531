import torch


def five_steps(query, key, value, allowed):
    scores = torch.einsum("...id,...jd->...ij", query, key)
    scaled = scores * query.shape[-1] ** -0.5
    masked = torch.where(allowed, scaled, -torch.inf)
    weights = masked.softmax(-1)
    return scores, scaled, masked, weights, torch.einsum("...ij,...je->...ie", weights, value)
