import torch


def masked_softmax(scores, mask):
    weights = torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-2)
    empty = ~mask.any(dim=-1, keepdim=True)
    return weights.masked_fill(empty, 0.0)
