import torch


def five_steps(q, k, v, mask):
    scores = q @ k.mT
    masked = scores.masked_fill(mask.logical_not(), -torch.inf)
    scaled = masked / q.shape[-1] ** 0.5
    weights = scaled.softmax(dim=-1)
    return scores, scaled, scaled, weights, weights @ v
