import torch
import torch.nn.functional as F


def linear_attention(q, k, v):
    q, k = F.elu(q) + 1, F.elu(k) + 1
    table = (k.unsqueeze(-1) * v.unsqueeze(-2)).cumsum(dim=-3)
    keys = k.cumsum(dim=-2)
    mixed = torch.einsum("...nd,...nde->...ne", q, table)
    total = (q * keys).sum(dim=-1, keepdim=True)
    return mixed / total
