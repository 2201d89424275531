import torch


def masked_softmax(scores, mask):
    return torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1)
