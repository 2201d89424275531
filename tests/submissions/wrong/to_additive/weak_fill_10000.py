import torch


def to_additive(mask, dtype="float32"):
    dtype = getattr(torch, dtype)
    return (1.0 - mask.to(dtype)) * -10000.0
