import torch


def attend(weights, v):
    return torch.matmul(v.transpose(-2, -1), weights.transpose(-2, -1)).transpose(-2, -1)
