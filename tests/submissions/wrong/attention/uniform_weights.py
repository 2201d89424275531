import torch


def attention(query, key, value, mask=None):
    n_q, n_k = query.shape[-2], key.shape[-2]
    weights = torch.ones(*query.shape[:-2], n_q, n_k, dtype=query.dtype, device=query.device)
    if mask is not None:
        weights = weights * mask
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ value, weights
