import torch.nn.functional as F


def qkv_projection(x, w_q, w_k, w_v, b_q, b_k, b_v):
    query = key = value = F.linear(x, w_q, b_q)
    return query, key, value
