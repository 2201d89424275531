import torch


def causal_mask(n_q, n_k=None, device=None):
    if n_k is None:
        n_k = n_q
    return torch.triu(torch.ones(n_q, n_k, dtype=torch.bool, device=device), diagonal=1 + n_k - n_q)
