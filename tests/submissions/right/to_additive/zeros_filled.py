import torch


def to_additive(mask, dtype="float32"):
    zeros = torch.zeros(mask.shape, dtype=getattr(torch, dtype), device=mask.device)
    return zeros.masked_fill(~mask, float("-inf"))
