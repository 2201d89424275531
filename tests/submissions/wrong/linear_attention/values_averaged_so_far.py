import torch


def linear_attention(q, k, v):
    count = torch.arange(1, v.shape[-2] + 1, dtype=v.dtype).unsqueeze(-1)
    return v.cumsum(dim=-2) / count
