import torch


def to_additive(mask, dtype="float32"):
    forbidden = ~mask
    forbidden = forbidden.masked_fill(forbidden, float("-inf"))
    return forbidden.to(getattr(torch, dtype))
