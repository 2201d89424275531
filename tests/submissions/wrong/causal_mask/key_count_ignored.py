import torch


def causal_mask(n_q, n_k=None, device=None):
    return torch.tril(torch.ones(n_q, n_q, dtype=torch.bool, device=device))
