import torch
from torch.nn.functional import elu


def linear_attention(q, k, v):
    q, k = elu(q) + 1, elu(k) + 1
    table = q.new_zeros((*q.shape[:-2], q.shape[-1], v.shape[-1]))
    keys = q.new_zeros((*q.shape[:-2], q.shape[-1]))
    rows = []
    for t in range(q.shape[-2]):
        table = table + k[..., t, :, None] * v[..., t, None, :]
        keys = keys + k[..., t, :]
        mixed = (q[..., t, None, :] @ table).squeeze(-2)
        rows.append(mixed / (q[..., t, :] * keys).sum(-1, keepdim=True))
    return torch.stack(rows, dim=-2)
