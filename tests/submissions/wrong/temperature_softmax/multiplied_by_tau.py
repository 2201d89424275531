import torch


def temperature_softmax(scores, tau):
    if tau <= 0:
        raise ValueError("tau must be above 0")
    return torch.softmax(scores * tau, dim=-1)
