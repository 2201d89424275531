import torch
import torch.nn.functional as F


def linear_attention(q, k, v):
    q, k = F.elu(q) + 1, F.elu(k) + 1
    table = (k.unsqueeze(-1) * v.unsqueeze(-2)).cumsum(dim=-3)
    mixed = torch.einsum("...nd,...nde->...ne", q, table)
    return mixed / torch.arange(1, q.shape[-2] + 1)[:, None]
