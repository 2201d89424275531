import torch


def one(token, gamma, beta, eps):
    d = len(token)
    mu = sum(token) / d
    sigma2 = sum((f - mu) * (f - mu) for f in token) / d
    return torch.stack([g * (f - mu) / (sigma2 + eps) ** 0.5 + b for f, g, b in zip(token, gamma, beta, strict=True)])


def layer_norm(x, gamma, beta, eps=1e-5):
    tokens = x.reshape(-1, x.shape[-1])
    return torch.stack([one(token, gamma, beta, eps) for token in tokens]).reshape(x.shape)
