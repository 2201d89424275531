import torch.nn.functional as F


def multi_head_attention(x, w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o, h, mask=None):
    B, n, d_model = x.shape
    if d_model % h != 0:
        raise ValueError("d_model must be divisible by h")
    q, k, v = (
        F.linear(x, w, b).view(B, n, h, d_model // h).transpose(1, 2)
        for w, b in ((w_q, b_q), (w_k, b_k), (w_v, b_v))
    )
    scores = q @ k.transpose(-2, -1) / (d_model // h) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask, float("-inf"))
    out = F.softmax(scores, dim=-1) @ v
    return F.linear(out.transpose(1, 2).flatten(2), w_o, b_o)
