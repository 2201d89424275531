import torch


def causal_mask(n_q, n_k=None, device=None):
    n_k = n_q if n_k is None else n_k
    future = torch.ones(n_q, n_k, dtype=torch.int, device=device).triu(n_k - n_q + 1)
    return ~future
