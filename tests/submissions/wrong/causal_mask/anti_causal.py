import torch


def causal_mask(n_q, n_k=None, device=None):
    if n_k is None:
        n_k = n_q
    return torch.triu(torch.ones(n_q, n_k, device=device), diagonal=n_k - n_q).bool()
