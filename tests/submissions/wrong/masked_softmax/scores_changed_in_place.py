import torch


def masked_softmax(scores, mask):
    scores.masked_fill_(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(~mask, 0.0)
