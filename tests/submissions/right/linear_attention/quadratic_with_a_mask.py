import torch


def phi(x):
    return torch.where(x > 0, x + 1, torch.exp(torch.minimum(x, torch.zeros_like(x))))


def linear_attention(q, k, v):
    shares = torch.tril(phi(q) @ phi(k).transpose(-2, -1))
    return shares @ v / shares.sum(dim=-1, keepdim=True)
