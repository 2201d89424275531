import torch


def rotary_embedding(x, positions=None, base=10000.0):
    d = x.size(-1)
    if d % 2 != 0:
        raise ValueError
    if positions is None:
        positions = torch.arange(x.size(-2), device=x.device)
    frequency = base ** (-2.0 * torch.arange(d // 2, device=x.device, dtype=torch.float64) / d)
    angle = (positions.to(torch.float64)[:, None] * frequency).repeat_interleave(2, dim=-1)
    partner = torch.empty_like(x)
    partner[..., 0::2] = -x[..., 1::2]
    partner[..., 1::2] = x[..., 0::2]
    return x * angle.cos().to(x.dtype) + partner * angle.sin().to(x.dtype)
