import torch.nn.functional as F


def qkv_projection(x, w_q, w_k, w_v, b_q, b_k, b_v):
    k = F.linear(x, w_k, b_k)
    q = F.linear(x, w_q, b_q)
    v = F.linear(x, w_v, b_v)
    return k, q, v
