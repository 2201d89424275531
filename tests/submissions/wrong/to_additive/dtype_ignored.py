import torch


def to_additive(mask, dtype="float32"):
    return torch.zeros_like(mask, dtype=torch.float32).masked_fill(~mask, float("-inf"))
