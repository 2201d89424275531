import torch


def grown(old, new):
    past = 0 if old is None else old.shape[-2]
    room = new.new_empty((*new.shape[:-2], past + new.shape[-2], new.shape[-1]))
    if past:
        room[..., :past, :] = old
    room[..., past:, :] = new
    return room


def kv_cache_step(old_k, old_v, query, key, value):
    keys, values = grown(old_k, key), grown(old_v, value)
    m = query.shape[-2]
    bias = torch.zeros(m, keys.shape[-2], dtype=query.dtype, device=query.device)
    future = torch.ones(m, m, dtype=torch.bool, device=query.device).triu(1)
    bias[:, -m:].masked_fill_(future, float("-inf"))
    weights = (query @ keys.mT / query.shape[-1] ** 0.5 + bias).softmax(dim=-1)
    return weights @ values, keys, values
