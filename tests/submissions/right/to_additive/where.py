import torch


def to_additive(mask, dtype="float32"):
    kind = getattr(torch, dtype)
    zero = torch.zeros((), dtype=kind, device=mask.device)
    return torch.where(mask, zero, -torch.inf)
