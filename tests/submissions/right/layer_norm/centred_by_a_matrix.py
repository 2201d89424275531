import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    d = x.shape[-1]
    centre = torch.eye(d, dtype=x.dtype) - torch.full((d, d), 1 / d, dtype=x.dtype)
    centred = x @ centre
    variance = (centred * centred).mean(-1, keepdim=True)
    return centred * (variance + eps).rsqrt() * gamma + beta
