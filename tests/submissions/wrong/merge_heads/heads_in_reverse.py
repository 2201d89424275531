import torch


def merge_heads(x):
    merged = x[:, 0]
    for i in range(1, x.shape[1]):
        merged = torch.cat([x[:, i], merged], dim=-1)
    return merged
