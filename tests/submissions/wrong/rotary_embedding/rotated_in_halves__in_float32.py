import torch


def rotary_embedding(x, positions=None, base=10000.0):
    n, d = x.shape[-2:]
    if d % 2:
        raise ValueError(f"d must be even, got {d}")
    if positions is None:
        positions = torch.arange(n, device=x.device)
    exponents = torch.arange(0, d, 2, device=x.device, dtype=torch.float32) / d
    angles = positions[:, None] / base**exponents
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)
