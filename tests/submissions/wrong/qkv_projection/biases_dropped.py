import torch.nn.functional as F


def qkv_projection(x, w_q, w_k, w_v, b_q, b_k, b_v):
    return F.linear(x, w_q), F.linear(x, w_k), F.linear(x, w_v)
