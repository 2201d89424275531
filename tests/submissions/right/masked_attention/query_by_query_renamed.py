import torch


def masked_attention(queries, keys, values, allowed=None):
    shape = (*queries.shape[:-1], keys.shape[-2])
    allowed = torch.ones(shape, dtype=torch.bool) if allowed is None else allowed.expand(shape)
    d = queries.shape[-1]
    rows = []
    flat = zip(
        queries.reshape(-1, *queries.shape[-2:]),
        keys.reshape(-1, *keys.shape[-2:]),
        values.reshape(-1, *values.shape[-2:]),
        allowed.reshape(-1, *allowed.shape[-2:]),
    )
    for q, k, v, m in flat:
        for i in range(len(q)):
            seen = m[i]
            if seen.any():
                rows.append(torch.softmax(k[seen] @ q[i] / d**0.5, dim=0) @ v[seen])
            else:
                rows.append(torch.zeros_like(v[0]))
    return torch.stack(rows).view(*queries.shape[:-1], values.shape[-1])
