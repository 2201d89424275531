import torch


def sinusoidal_encoding(n, d, base=10000.0):
    position = torch.arange(n)[:, None]
    divisor = 1000.0 ** (torch.arange(0, d, 2) / d)
    table = torch.zeros(n, d)
    table[:, 0::2] = torch.sin(position / divisor)
    table[:, 1::2] = torch.cos(position / divisor[: d // 2])
    return table
