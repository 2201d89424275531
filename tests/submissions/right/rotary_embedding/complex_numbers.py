import torch


def rotary_embedding(x, positions=None, base=10000.0):
    *_, n, d = x.shape
    if d % 2 == 1:
        raise ValueError("an even number of features is needed")
    p = torch.arange(n, device=x.device) if positions is None else positions
    theta = torch.outer(p.double(), 1.0 / base ** (torch.arange(0, d, 2, device=x.device).double() / d))
    pairs = torch.view_as_complex(x.double().reshape(*x.shape[:-1], d // 2, 2))
    turned = pairs * torch.polar(torch.ones_like(theta), theta)
    return torch.view_as_real(turned).flatten(-2).to(x.dtype)
