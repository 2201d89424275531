import torch


def sinusoidal_encoding(n, d, base=10000.0):
    pairs = (d + 1) // 2
    frequency = base ** (-torch.arange(pairs, dtype=torch.float64) * 2 / d)
    angle = torch.outer(torch.arange(n, dtype=torch.float64), frequency)
    turned = torch.view_as_real(torch.polar(torch.ones_like(angle), angle))  # (n, pairs, 2): cosine, sine
    return turned.flip(-1).flatten(1)[:, :d]
