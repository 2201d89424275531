import torch


def local_window_mask(n, w, causal=False):
    full = torch.ones(n, n, dtype=torch.bool)
    band = full.triu(-w - 1) & full.tril(w + 1)
    return band.tril() if causal else band
