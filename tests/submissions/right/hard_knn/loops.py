import torch


def hard_knn(query, keys, values, k):
    if k <= 0 or k > keys.shape[-2]:
        raise ValueError("there are not that many keys")
    lead = query.shape[:-2]
    flat_q, flat_k, flat_v = (t.reshape(-1, *t.shape[-2:]) for t in (query, keys, values))
    tables = []
    for q, key, v in zip(flat_q, flat_k, flat_v):
        rows = []
        for one in q:
            near = sorted(range(len(key)), key=lambda j: float(one @ key[j]), reverse=True)[:k]
            rows.append(sum(v[j] for j in near) / k)
        tables.append(torch.stack(rows))
    return torch.stack(tables).reshape(*lead, query.shape[-2], values.shape[-1])
