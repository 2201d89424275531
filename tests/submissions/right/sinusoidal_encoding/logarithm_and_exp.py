import math

import torch


def sinusoidal_encoding(n, d, base=10000.0):
    position = torch.arange(n).unsqueeze(1)
    frequency = torch.exp(torch.arange(0, d, 2) * (-math.log(base) / d))
    angle = position * frequency
    pe = torch.empty(n, d)
    pe[:, 0::2] = angle.sin()
    pe[:, 1::2] = angle[:, : d // 2].cos()
    return pe
