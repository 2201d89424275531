import torch


def softmax_rows(x, dim):
    return torch.softmax(x, dim=dim)
