import torch
import torch.nn.functional as F


def linear_attention(q, k, v):
    q, k = F.elu(q), F.elu(k)
    table = (k.unsqueeze(-1) * v.unsqueeze(-2)).cumsum(dim=-3)
    keys = k.cumsum(dim=-2)
    mixed = torch.einsum("...nd,...nde->...ne", q, table)
    total = (q * keys).sum(dim=-1, keepdim=True)
    return mixed / total
