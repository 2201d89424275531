import torch


def multi_head_attention(x, w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o, h, mask=None):
    B, n, width = x.shape
    if width % h:
        raise ValueError(f"{width} / {h}")
    d = width // h

    def fold(t):
        return t.reshape(B, n, h, d).permute(0, 2, 1, 3).reshape(B * h, n, d)

    q, k, v = fold(x @ w_q.t() + b_q), fold(x @ w_k.t() + b_k), fold(x @ w_v.t() + b_v)
    scores = torch.bmm(q, k.transpose(1, 2)) * d**-0.5
    if mask is not None:
        table = mask if mask.dim() == 2 else mask[:, 0].repeat_interleave(h, dim=0)
        scores = scores.masked_fill(~table, torch.finfo(scores.dtype).min)
    out = torch.bmm(scores.softmax(-1), v).reshape(B, h, n, d)
    return out.permute(0, 2, 1, 3).reshape(B, n, width) @ w_o.t() + b_o
