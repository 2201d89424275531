import torch


def temperature_softmax(scores, tau):
    if tau <= 0:
        raise ValueError("tau must be above 0")
    shares = torch.softmax(scores, dim=-1) ** tau
    return shares / shares.sum(dim=-1, keepdim=True)
