import torch


def causal_mask(n_q, n_k=None, device=None):
    if n_k is None:
        n_k = n_q
    return torch.tril(torch.ones(n_q, n_k, device=device)).bool()
