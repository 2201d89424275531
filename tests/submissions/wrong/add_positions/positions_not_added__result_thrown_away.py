import torch


def add_positions(x, pe):
    n, d = x.shape[-2:]
    if n > pe.shape[0]:
        raise ValueError("too long")
    scaled = x * d**0.5
    torch.add(scaled, pe[:n])
    return scaled
