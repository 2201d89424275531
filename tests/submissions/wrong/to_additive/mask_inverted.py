import torch


def to_additive(mask, dtype="float32"):
    result = torch.zeros(mask.shape, dtype=getattr(torch, dtype))
    return result.masked_fill(mask, float("-inf"))
