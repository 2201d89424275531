import math


def add_positions(x, pe):
    n, d = x.shape[-2:]
    if n > pe.shape[0]:
        raise ValueError(f"{n} tokens, but only {pe.shape[0]} positions")
    return x * math.sqrt(d) + pe[:n]
