import torch


def softmax_rows(x, dim):
    shares = torch.softmax(x.unsqueeze(dim), dim=dim).squeeze(dim)
    nothing = (x == float("-inf")).all(dim=dim, keepdim=True)
    return torch.where(nothing, torch.zeros_like(shares), shares)
