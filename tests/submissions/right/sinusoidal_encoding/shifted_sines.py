import math

import torch


def sinusoidal_encoding(n, d, base=10000.0):
    """cos x = sin(x + pi/2): one sine for all columns."""
    column = torch.arange(d, dtype=torch.float64)
    angle = torch.arange(n, dtype=torch.float64)[:, None] * base ** -(2 * (column // 2) / d)
    return torch.sin(angle + (column % 2) * math.pi / 2).float()
