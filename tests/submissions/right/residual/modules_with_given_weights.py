import torch
from torch import nn
from torch.func import functional_call


def residual(x, w, b, gamma, beta, mode):
    size = x.shape[-1]
    layer, norm = nn.Linear(size, size), nn.LayerNorm(size)

    def f(z):
        return functional_call(layer, {"weight": w, "bias": b}, z)

    def n(z):
        return functional_call(norm, {"weight": gamma, "bias": beta}, z)

    return torch.add(x, f(n(x))) if mode == "pre" else n(torch.add(x, f(x)))
