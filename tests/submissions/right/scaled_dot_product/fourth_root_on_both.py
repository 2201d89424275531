import torch


def scaled_dot_product(q, k, v):
    root = q.shape[-1] ** 0.25
    scores = (k / root) @ (q / root).transpose(-1, -2)
    return torch.softmax(scores, dim=-2).transpose(-1, -2) @ v
