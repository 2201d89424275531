import torch


def scaled_dot_product(q, k, v):
    weights = torch.softmax(q @ k.mT, dim=-1) / q.shape[-1] ** 0.5
    return weights @ v
