import torch


def attention(query, key, value, mask=None):
    d_k = query.shape[-1]
    scores = query @ key.transpose(-2, -1) / torch.sqrt(torch.tensor(d_k, dtype=torch.float32))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights * mask
    return (weights.to(value.dtype) @ value), weights
