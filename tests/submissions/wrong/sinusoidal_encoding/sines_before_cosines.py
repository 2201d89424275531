import torch


def sinusoidal_encoding(n, d, base=10000.0):
    frequency = 1 / base ** (torch.arange(0, d, 2) / d)
    angle = torch.arange(n)[:, None] * frequency
    return torch.cat([angle.sin(), angle[:, : d // 2].cos()], dim=-1)
