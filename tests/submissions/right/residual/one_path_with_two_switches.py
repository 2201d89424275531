import torch


def residual(x, w, b, gamma, beta, mode):
    def norm(z):
        z = z - z.mean(-1, keepdim=True)
        return z * (z.square().mean(-1, keepdim=True) + 1e-5).rsqrt() * gamma + beta

    first = norm if mode == "pre" else torch.clone
    last = torch.clone if mode == "pre" else norm
    return last(x + torch.einsum("...i,oi->...o", first(x), w) + b)
