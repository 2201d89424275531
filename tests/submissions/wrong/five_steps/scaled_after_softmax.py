import torch


def five_steps(q, k, v, mask):
    scores = q @ k.mT
    scaled = scores
    masked = scaled.masked_fill(~mask, -torch.inf)
    weights = masked.softmax(dim=-1) / q.shape[-1] ** 0.5
    return scores, scaled, masked, weights, weights @ v
