import math

import torch


def one_table(q, k, v, m):
    out, table = [], []
    for i in range(len(q)):
        scores = [sum(a * b for a, b in zip(q[i], k[j])) / math.sqrt(len(q[i])) for j in range(len(k))]
        allowed = [j for j in range(len(k)) if m is None or bool(m[i][j])]
        top = max(float(scores[j]) for j in allowed)
        exps = [torch.exp(s - top) if j in allowed else s * 0 for j, s in enumerate(scores)]
        total = sum(exps)
        row = [e / total for e in exps]
        table.append(torch.stack(row))
        out.append(torch.stack([sum(w * v[j][c] for j, w in enumerate(row)) for c in range(len(v[0]))]))
    return torch.stack(out), torch.stack(table)


def attention(query, key, value, mask=None):
    if mask is not None:
        mask = mask.expand(*query.shape[:-1], key.shape[-2])
    if query.dim() == 2:
        return one_table(query.unbind(), key.unbind(), value.unbind(), mask)
    pairs = [attention(query[b], key[b], value[b], None if mask is None else mask[b]) for b in range(len(query))]
    return torch.stack([p[0] for p in pairs]), torch.stack([p[1] for p in pairs])
