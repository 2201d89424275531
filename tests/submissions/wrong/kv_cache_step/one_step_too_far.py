import math

import torch


def kv_cache_step(k_cache, v_cache, q, k, v):
    keys = k if k_cache is None else torch.cat([k_cache, k], dim=-2)
    values = v if v_cache is None else torch.cat([v_cache, v], dim=-2)
    n_q, n_k = q.shape[-2], keys.shape[-2]
    allowed = torch.ones(n_q, n_k, dtype=torch.bool, device=q.device).tril(n_k - n_q + 1)
    scores = q @ keys.transpose(-2, -1) / math.sqrt(q.shape[-1])
    weights = torch.softmax(scores.masked_fill(~allowed, -math.inf), dim=-1)
    return weights @ values, keys, values
