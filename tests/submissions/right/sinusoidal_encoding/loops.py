import math

import torch


def sinusoidal_encoding(n, d, base=10000.0):
    rows = []
    for p in range(n):
        row = []
        for c in range(d):
            angle = p / base ** ((c - c % 2) / d)
            row.append(math.cos(angle) if c % 2 else math.sin(angle))
        rows.append(row)
    return torch.tensor(rows)
