import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    x -= x.mean(dim=-1, keepdim=True)
    return gamma * x / torch.sqrt(x.square().mean(dim=-1, keepdim=True) + eps) + beta
