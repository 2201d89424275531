import torch


def alibi_bias(n_q, n_k, h):
    slopes = 2.0 ** (-8.0 * torch.arange(1, h + 1) / h)
    i = torch.arange(n_q)[:, None] + n_k - n_q
    j = torch.arange(n_k)[None, :]
    distance = (i - j).abs()
    return -slopes[:, None, None] * distance
