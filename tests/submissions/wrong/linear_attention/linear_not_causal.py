import torch
import torch.nn.functional as F


def linear_attention(q, k, v):
    q, k = F.elu(q) + 1, F.elu(k) + 1
    table = k.transpose(-2, -1) @ v
    keys = k.sum(dim=-2, keepdim=True)
    mixed = q @ table
    total = (q * keys).sum(dim=-1, keepdim=True)
    return mixed / total
