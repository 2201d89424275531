import torch


def to_additive(mask, dtype="float32"):
    dtype = getattr(torch, dtype)
    result = torch.zeros(mask.shape, dtype=dtype)
    result[~mask] = torch.finfo(dtype).min
    return result
