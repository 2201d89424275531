import math

import torch


def multi_head_attention(x, w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o, h, mask=None):
    B, n, d_model = x.shape
    if d_model % h:
        raise ValueError(f"{d_model} features, {h} heads")
    d = d_model // h

    def heads(w, b):
        return (x @ w.T + b).view(B, n, h, d).transpose(1, 2)

    q, k, v = heads(w_q, b_q), heads(w_k, b_k), heads(w_v, b_v)
    scores = q @ k.transpose(-2, -1) / math.sqrt(d)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    out = torch.softmax(scores, dim=-1) @ v
    return out.transpose(1, 2).reshape(B, n, d_model) @ w_o.T + b_o
