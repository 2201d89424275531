import math

import torch


def kv_cache_step(k_cache, v_cache, q, k, v):
    n = q.shape[-2]
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    output = torch.softmax(scores.masked_fill(future, -math.inf), dim=-1) @ v
    if k_cache is not None:
        k, v = torch.cat([k_cache, k], dim=-2), torch.cat([v_cache, v], dim=-2)
    return output, k, v
