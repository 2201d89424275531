import torch


def norm(x, gamma, beta):
    mean = x.mean(-1, keepdim=True)
    variance = x.var(-1, unbiased=False, keepdim=True)
    return gamma * (x - mean) / torch.sqrt(variance + 1e-5) + beta


def residual(x, w, b, gamma, beta, mode):
    def sublayer(z):
        return z @ w.T + b

    if mode == "pre":
        return x + sublayer(norm(x, gamma, beta))
    return norm(x + sublayer(x), gamma, beta)
