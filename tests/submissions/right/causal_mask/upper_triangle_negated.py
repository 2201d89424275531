import torch


def causal_mask(n_q, n_k=None, device=None):
    n_k = n_k or n_q
    future = torch.triu(torch.ones((n_q, n_k), device=device), diagonal=1 + n_k - n_q)
    return future == 0
