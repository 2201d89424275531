import torch


def softmax_rows(x, dim):
    return torch.exp(x)
