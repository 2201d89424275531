import torch


def masked_softmax(scores, mask):
    return torch.softmax(scores * mask, dim=-1)
