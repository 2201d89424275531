import torch


def attention(query, key, value, mask=None):
    lead = query.shape[:-2]
    n_q, d_k = query.shape[-2:]
    n_k, d_v = value.shape[-2:]
    q = query.reshape(-1, n_q, d_k)
    k = key.reshape(-1, n_k, d_k)
    v = value.reshape(-1, n_k, d_v)
    scores = torch.bmm(q, k.transpose(1, 2)) / d_k**0.5
    if mask is not None:
        scores = scores.masked_fill(~mask.expand(*lead, n_q, n_k).reshape(-1, n_q, n_k), float("-inf"))
    weights = torch.softmax(scores, dim=2)
    output = torch.bmm(weights, v)
    return output.view(*lead, n_q, d_v), weights.view(*lead, n_q, n_k)
