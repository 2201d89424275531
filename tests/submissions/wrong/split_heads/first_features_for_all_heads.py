import torch


def split_heads(x, h):
    B, n, d_model = x.shape
    if d_model % h != 0:
        raise ValueError("d_model must be divisible by h")
    d = d_model // h
    heads = []
    for i in range(h):
        heads.append(x[:, :, :d])
    return torch.stack(heads, dim=1)
