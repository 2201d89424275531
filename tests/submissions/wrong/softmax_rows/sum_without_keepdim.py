import torch


def softmax_rows(x, dim):
    e = torch.exp(x - x.amax(dim=dim, keepdim=True))
    shares = e / e.sum(dim=dim)
    return shares.masked_fill(torch.isneginf(x).all(dim=dim, keepdim=True), 0.0)
