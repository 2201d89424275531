import torch


def grouped_query_attention(q, k, v):
    if q.shape[1] % k.shape[1] != 0:
        raise ValueError("h_q must be a multiple of h_kv")
    group = q.shape[1] // k.shape[1]
    k = k.repeat_interleave(group, dim=1)
    v = v.repeat_interleave(group, dim=1)
    return torch.softmax(q @ k.transpose(-2, -1), dim=-1) @ v
