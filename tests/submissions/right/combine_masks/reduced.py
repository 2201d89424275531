import functools

import torch


def combine_masks(a, b=None, c=None):
    return functools.reduce(torch.logical_and, [m for m in (a, b, c) if m is not None])
