import torch


def rotary_embedding(x, positions=None, base=10000.0):
    d = x.shape[-1]
    if d % 2:
        raise ValueError("d must be even")
    if positions is None:
        positions = torch.arange(x.shape[-2])
    angles = positions[:, None] / base ** (torch.arange(0, d, 2, dtype=torch.float64) / d)
    rows = [angles[i % len(angles)] for i in range(x.shape[-3])]  # one row for each head
    angles = torch.stack(rows)[:, None, :]
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)
