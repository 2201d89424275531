import torch


def multi_head_attention(x, w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o, h, mask=None):
    B, n, d_model = x.shape
    if d_model % h != 0:
        raise ValueError("d_model must be divisible by h")
    d = d_model // h
    q = (x @ w_q.T + b_q).view(B * h, n, d)
    k = (x @ w_k.T + b_k).view(B * h, n, d)
    v = (x @ w_v.T + b_v).view(B * h, n, d)
    scores = torch.bmm(q, k.transpose(1, 2)) / d**0.5
    if mask is not None:
        mask = mask.expand(B, h, n, n).reshape(B * h, n, n)
        scores = scores.masked_fill(~mask, float("-inf"))
    out = torch.bmm(torch.softmax(scores, dim=-1), v)
    return out.view(B, n, d_model) @ w_o.T + b_o
