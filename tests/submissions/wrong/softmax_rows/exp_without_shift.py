import torch


def softmax_rows(x, dim):
    e = torch.exp(x)
    shares = e / e.sum(dim=dim, keepdim=True)
    return shares.masked_fill(torch.isneginf(x).all(dim=dim, keepdim=True), 0.0)
