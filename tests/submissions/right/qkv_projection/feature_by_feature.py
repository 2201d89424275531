import torch


def layer(x, w, b):
    return torch.stack([(x * row).sum(dim=-1) + offset for row, offset in zip(w, b)], dim=-1)


def qkv_projection(x, w_q, w_k, w_v, b_q, b_k, b_v):
    return layer(x, w_q, b_q), layer(x, w_k, b_k), layer(x, w_v, b_v)
