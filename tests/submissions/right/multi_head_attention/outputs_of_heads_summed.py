import torch


def multi_head_attention(x, w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o, h, mask=None):
    d_model = x.shape[-1]
    if d_model % h:
        raise ValueError("d_model, h")
    output = b_o.expand(x.shape)
    q, k, v = x @ w_q.T + b_q, x @ w_k.T + b_k, x @ w_v.T + b_v
    shared = mask if mask is None or mask.dim() == 2 else mask.squeeze(1)
    for i in torch.arange(d_model).chunk(h):
        scores = q[..., i] @ k[..., i].transpose(-2, -1) / len(i) ** 0.5
        if shared is not None:
            scores = scores.masked_fill(shared.logical_not(), -torch.inf)
        # concat, then W_O, is the sum of each head sent through its own columns of W_O
        output = output + torch.softmax(scores, -1) @ v[..., i] @ w_o[:, i].T
    return output
