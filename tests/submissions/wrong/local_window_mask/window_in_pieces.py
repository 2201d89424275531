import torch


def local_window_mask(n, w, causal=False):
    piece = torch.arange(n) // (w + 1)
    mask = piece[:, None] == piece[None, :]
    return mask.tril() if causal else mask
