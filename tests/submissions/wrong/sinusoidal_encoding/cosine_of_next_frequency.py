import math

import torch


def sinusoidal_encoding(n, d, base=10000.0):
    table = torch.zeros(n, d)
    for p in range(n):
        for i in range(0, d, 2):
            table[p, i] = math.sin(p / base ** (i / d))
            if i + 1 < d:
                table[p, i + 1] = math.cos(p / base ** ((i + 1) / d))
    return table
