import torch


def temperature_softmax(scores, tau):
    if tau <= 0:
        raise ValueError("tau must be above 0")
    e = torch.exp(scores / tau)
    return e / e.sum(dim=-1, keepdim=True)
