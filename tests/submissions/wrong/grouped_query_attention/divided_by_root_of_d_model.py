import math

import torch


def grouped_query_attention(q, k, v):
    B, h_q, n_q, d = q.shape
    if h_q % k.shape[1] != 0:
        raise ValueError("h_q must be a multiple of h_kv")
    d_model = h_q * d
    group = h_q // k.shape[1]
    k = k.repeat_interleave(group, dim=1)
    v = v.repeat_interleave(group, dim=1)
    scores = q @ k.transpose(-2, -1) / math.sqrt(d_model)
    return torch.softmax(scores, dim=-1) @ v
