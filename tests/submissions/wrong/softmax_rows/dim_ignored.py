import torch


def softmax_rows(x, dim):
    shares = torch.softmax(x, dim=-1)
    return shares.masked_fill(torch.isneginf(x).all(dim=-1, keepdim=True), 0.0)
