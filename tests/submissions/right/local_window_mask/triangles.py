import torch


def local_window_mask(n, w, causal=False):
    ahead = 0 if causal else w
    return torch.ones(n, n, dtype=torch.bool).tril(ahead).triu(-w)
