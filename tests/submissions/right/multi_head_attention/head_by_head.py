import torch


def attention(q, k, v, mask):
    scores = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -1e9)
    return scores.softmax(dim=-1) @ v


def multi_head_attention(x, w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o, h, mask=None):
    d, rest = divmod(x.shape[-1], h)
    if rest:
        raise ValueError("the features do not fit the heads")
    if mask is not None and mask.dim() == 4:
        mask = mask[:, 0]
    outputs = []
    for i in range(h):
        part = slice(i * d, (i + 1) * d)
        q, k, v = (x @ w[part].T + b[part] for w, b in ((w_q, b_q), (w_k, b_k), (w_v, b_v)))
        outputs.append(attention(q, k, v, mask))
    return torch.cat(outputs, dim=-1) @ w_o.T + b_o
