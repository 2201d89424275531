import torch


def attend(weights, v):
    output = torch.matmul(weights, v)
    return output, weights
