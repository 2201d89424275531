import torch


def masked_softmax(scores, mask):
    return torch.nan_to_num(scores.masked_fill(~mask, -torch.inf).softmax(-1))
