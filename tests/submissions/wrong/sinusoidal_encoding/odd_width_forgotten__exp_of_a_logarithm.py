import math

import torch


def sinusoidal_encoding(n, d, base=10000.0):
    pe = torch.zeros(n, d)
    position = torch.arange(0, n).unsqueeze(1)
    frequency = torch.exp(torch.arange(0, d, 2) * -(math.log(base) / d))
    pe[:, 0::2] = torch.sin(position * frequency)
    pe[:, 1::2] = torch.cos(position * frequency)
    return pe
