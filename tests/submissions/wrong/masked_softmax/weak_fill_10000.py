import torch


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, -1e4), dim=-1)
