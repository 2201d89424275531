import torch


def attend(shares, values):
    return torch.einsum("...ij,...je->...ie", shares, values)
