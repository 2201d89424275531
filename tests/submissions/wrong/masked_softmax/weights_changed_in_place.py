import torch


def masked_softmax(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)
    weights[torch.isnan(weights)] = 0.0
    return weights
