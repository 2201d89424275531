import torch


def to_additive(mask, dtype="float32"):
    return (1 - mask.to(getattr(torch, dtype))) * float("-inf")
