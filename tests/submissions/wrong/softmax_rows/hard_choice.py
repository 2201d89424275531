import torch


def softmax_rows(x, dim):
    best = x.argmax(dim=dim, keepdim=True)
    shares = torch.zeros_like(x).scatter_(dim, best, 1.0)
    return shares.masked_fill(torch.isneginf(x).all(dim=dim, keepdim=True), 0.0)
