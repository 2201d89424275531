import torch


def to_additive(allowed, kind="float32"):
    added = torch.full(allowed.shape, -torch.inf, dtype=getattr(torch, kind), device=allowed.device)
    added[allowed] = 0
    return added
