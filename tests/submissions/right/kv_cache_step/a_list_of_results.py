import math

import torch


def kv_cache_step(k_cache, v_cache, q, k, v):
    keys = torch.cat([part for part in (k_cache, k) if part is not None], dim=-2)
    values = torch.cat([part for part in (v_cache, v) if part is not None], dim=-2)
    scores = torch.matmul(q / math.sqrt(q.shape[-1]), keys.transpose(-1, -2))
    hidden = torch.ones_like(scores, dtype=torch.bool).triu(keys.shape[-2] - q.shape[-2] + 1)
    weights = torch.exp(scores - scores.max(-1, keepdim=True).values).masked_fill(hidden, 0)
    return [weights / weights.sum(-1, keepdim=True) @ values, keys, values]
