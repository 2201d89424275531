import math

import torch


def multi_head_attention(x, w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o, h, mask=None):
    B, n, d_model = x.shape
    if d_model % h != 0:
        raise ValueError("d_model must be divisible by h")
    d = d_model // h

    def fold(t):
        return t.view(B, n, h, d).transpose(1, 2).reshape(B * h, n, d)

    q, k, v = fold(x @ w_q.T + b_q), fold(x @ w_k.T + b_k), fold(x @ w_v.T + b_v)
    scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(d)
    if mask is not None:
        mask = mask.expand(B, 1, n, n).squeeze(1)
        scores = scores.masked_fill(~mask.repeat(h, 1, 1), float("-inf"))
    out = torch.bmm(torch.softmax(scores, dim=-1), v)
    out = out.view(B, h, n, d).transpose(1, 2).reshape(B, n, d_model)
    return out @ w_o.T + b_o
