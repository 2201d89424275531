import math

import torch


def multi_head_attention(x, w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o, h, mask=None):
    B, n, d_model = x.shape
    if d_model % h != 0:
        raise ValueError("d_model must be divisible by h")
    d = d_model // h
    q = (x @ w_q.T + b_q).view(B, n, h, d).transpose(1, 2)
    k = (x @ w_k.T + b_k).view(B, n, h, d).transpose(1, 2)
    v = (x @ w_v.T + b_v).view(B, n, h, d).transpose(1, 2)
    scores = q @ k.transpose(-2, -1) / math.sqrt(d)
    if mask is not None:
        scores = scores.masked_fill(mask == 0, float("-inf"))
    out = torch.softmax(scores, dim=-1) @ v
    return out.reshape(B, n, d_model) @ w_o.T + b_o
