import torch


def temperature_softmax(scores, tau):
    if tau <= 0:
        raise ValueError("tau must be positive")
    return torch.softmax(scores / tau, dim=-1)
