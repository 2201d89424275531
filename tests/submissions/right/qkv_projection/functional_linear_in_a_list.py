import torch.nn.functional as F


def qkv_projection(x, w_q, w_k, w_v, b_q, b_k, b_v):
    return [F.linear(x, w, b) for w, b in ((w_q, b_q), (w_k, b_k), (w_v, b_v))]
