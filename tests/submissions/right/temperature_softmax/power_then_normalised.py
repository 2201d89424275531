import torch


def temperature_softmax(scores, tau):
    if tau <= 0:
        raise ValueError("no such temperature")
    log_shares = torch.log_softmax(scores, dim=-1) / tau
    return log_shares.softmax(dim=-1)
