import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    """Works with the features in front, and hands back a view of it."""
    turned = x.movedim(-1, 0)
    centred = turned - turned.mean(0)
    normal = centred / (centred.pow(2).mean(0) + eps).sqrt()
    shape = (-1, *[1] * (x.dim() - 1))
    return torch.movedim(normal * gamma.view(shape) + beta.view(shape), 0, -1)
