import torch


def combine_masks(a, b=None, c=None):
    masks = [m for m in (a, b, c) if m is not None]
    result = masks[0].clone()
    for m in masks[1:]:
        torch.logical_and(result, m)
    return result
