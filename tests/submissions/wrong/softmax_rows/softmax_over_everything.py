import torch


def softmax_rows(x, dim):
    shares = torch.softmax(x.flatten(), dim=0).view(x.shape)
    return shares
