import torch


def combine_masks(a, b=None, c=None):
    given = [mask for mask in (a, b, c) if mask is not None]
    return torch.stack(torch.broadcast_tensors(*given)).all(dim=0)
