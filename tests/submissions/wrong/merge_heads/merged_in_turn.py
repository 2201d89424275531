import torch


def merge_heads(x):
    B, h, n, d = x.shape
    stacked = torch.stack([x[:, i] for i in range(h)], dim=-1)
    return stacked.reshape(B, n, d * h)
