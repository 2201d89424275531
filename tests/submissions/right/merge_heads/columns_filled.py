import torch


def merge_heads(x):
    B, h, n, d = x.shape
    merged = torch.zeros(B, n, h * d, dtype=x.dtype, device=x.device)
    for i in range(h):
        merged[..., i * d : (i + 1) * d] = x[:, i]
    return merged
