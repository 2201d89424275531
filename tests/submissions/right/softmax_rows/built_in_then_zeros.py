import torch


def softmax_rows(x, dim):
    nobody = torch.isneginf(x).all(dim=dim, keepdim=True)
    return torch.where(nobody, torch.zeros_like(x), torch.softmax(x, dim=dim))
