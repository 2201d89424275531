import torch


def attend(weights, v):
    weights = torch.softmax(weights, dim=-1)
    return weights @ v
