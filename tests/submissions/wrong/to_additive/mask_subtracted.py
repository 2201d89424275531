import torch


def to_additive(mask, dtype="float32"):
    return ((1 - mask) * float("-inf")).to(getattr(torch, dtype))
