import torch
from torch.nn.functional import layer_norm


def attend(query, keys, weights, names, h, mask):
    """One query (B, d) against keys (B, m, d)."""
    w_q, w_k, w_v, w_o = (weights[name] for name in names)
    q = (query @ w_q.T).unflatten(-1, (h, -1))
    k, v = ((keys @ w.T).unflatten(-1, (h, -1)) for w in (w_k, w_v))
    scores = (q[:, None] * k).sum(-1) / q.shape[-1] ** 0.5  # (B, m, h)
    if mask is not None:
        scores = scores.masked_fill(~mask.transpose(1, 2), float("-inf"))
    mixed = (scores.softmax(1)[..., None] * v).sum(1)
    return mixed.flatten(1) @ w_o.T


def decoder_layer(x, memory, weights, h, memory_mask=None):
    samples, n, d = x.shape
    m = memory.shape[1]
    mask = None if memory_mask is None else memory_mask.expand(samples, h, n, m)
    rows = []
    for t in range(n):
        z = x[:, t]
        change = attend(z, x[:, : t + 1], weights, ("w_q", "w_k", "w_v", "w_o"), h, None)
        z = layer_norm(z + change, (d,), weights["gamma_1"], weights["beta_1"])
        seen = None if mask is None else mask[:, :, t]
        change = attend(z, memory, weights, ("cross_q", "cross_k", "cross_v", "cross_o"), h, seen)
        z = layer_norm(z + change, (d,), weights["gamma_2"], weights["beta_2"])
        change = (z @ weights["w_1"].T + weights["b_1"]).relu() @ weights["w_2"].T + weights["b_2"]
        rows.append(layer_norm(z + change, (d,), weights["gamma_3"], weights["beta_3"]))
    return torch.stack(rows, dim=1)
