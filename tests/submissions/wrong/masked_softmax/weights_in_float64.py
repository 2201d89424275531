import torch


def masked_softmax(scores, mask):
    scores = scores.double().masked_fill(~mask, float("-inf"))
    return torch.softmax(scores, dim=-1).masked_fill(~mask, 0.0)
