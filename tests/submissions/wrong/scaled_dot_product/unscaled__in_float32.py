import torch


def scaled_dot_product(q, k, v):
    scores = (q @ k.transpose(-2, -1)).float()
    return torch.softmax(scores, dim=-1).to(v.dtype) @ v
