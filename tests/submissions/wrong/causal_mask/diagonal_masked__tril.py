import torch


def causal_mask(n_q, n_k=None, device=None):
    if n_k is None:
        n_k = n_q
    ones = torch.ones(n_q, n_k, dtype=torch.bool, device=device)
    return torch.tril(ones, diagonal=n_k - n_q - 1)
