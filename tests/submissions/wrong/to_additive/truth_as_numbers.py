import torch


def to_additive(mask, dtype="float32"):
    return mask.to(getattr(torch, dtype))
