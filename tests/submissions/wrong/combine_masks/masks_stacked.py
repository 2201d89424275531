import torch


def combine_masks(a, b=None, c=None):
    masks = [m for m in (a, b, c) if m is not None]
    return torch.stack(masks).all(0)
