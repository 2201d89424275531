import torch


def local_window_mask(n, w, causal=False):
    index = torch.arange(n)
    mask = (index.unsqueeze(0) - index.unsqueeze(1)).abs() <= w
    if causal:
        mask.tril()
    return mask
