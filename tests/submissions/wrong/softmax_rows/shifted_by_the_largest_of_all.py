import torch


def softmax_rows(x, dim):
    e = torch.exp(x - x.max())
    shares = e / e.sum(dim=dim, keepdim=True)
    nothing = (x == float("-inf")).all(dim=dim, keepdim=True)
    return shares.masked_fill(nothing, 0.0)
