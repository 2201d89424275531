import torch


def causal_mask(n_q, n_k=None, device=None):
    if n_k is None:
        n_k = n_q
    mask = torch.full((n_q, n_k), float("-inf"), device=device)
    return torch.triu(mask, diagonal=1 + n_k - n_q)
