import torch
import torch.nn.functional as F


def qkv_projection(x, w_q, w_k, w_v, b_q, b_k, b_v):
    packed = F.linear(x, torch.cat([w_q, w_k, w_v]), torch.cat([b_q, b_k, b_v]))
    q, k, v = packed.split([w_q.shape[0], w_k.shape[0], w_v.shape[0]], dim=-1)
    return q, v, k
