import torch


def causal_mask(n_q, n_k=None, device=None):
    if n_k is None:
        n_k = n_q
    i = torch.arange(n_q, device=device).unsqueeze(1)
    j = torch.arange(n_k, device=device).unsqueeze(0)
    return j < i + (n_k - n_q)
