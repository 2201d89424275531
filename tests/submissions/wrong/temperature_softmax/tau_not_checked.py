import torch


def temperature_softmax(scores, tau):
    return torch.softmax(scores / tau, dim=-1)
