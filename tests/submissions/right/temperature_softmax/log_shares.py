import torch


def temperature_softmax(scores, tau):
    if tau <= 0:
        raise ValueError
    scaled = scores * (1.0 / tau)
    return torch.exp(scaled - torch.logsumexp(scaled, dim=-1, keepdim=True))
