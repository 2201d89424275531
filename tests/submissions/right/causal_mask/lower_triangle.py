import torch


def causal_mask(n_q, n_k=None, device=None):
    n_k = n_q if n_k is None else n_k
    return torch.tril(torch.ones(n_q, n_k, dtype=torch.bool, device=device), diagonal=n_k - n_q)
