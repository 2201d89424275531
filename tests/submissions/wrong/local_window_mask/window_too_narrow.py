import torch


def local_window_mask(n, w, causal=False):
    positions = torch.arange(n)
    distance = positions[:, None] - positions[None, :]
    mask = distance.abs() < w
    if causal:
        mask = mask & (distance >= 0)
    return mask
