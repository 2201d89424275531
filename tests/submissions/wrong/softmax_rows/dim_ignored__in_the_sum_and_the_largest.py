import torch


def softmax_rows(x, dim):
    largest = x.max(dim=-1, keepdim=True).values
    largest = torch.where(largest.isinf(), torch.zeros_like(largest), largest)
    e = torch.exp(x - largest)
    return e / e.sum(dim=-1, keepdim=True).clamp(min=1e-30)
