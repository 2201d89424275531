import torch


def alibi_bias(n_q, n_k, h):
    slopes = torch.full((h,), 2.0 ** (-8.0 / h))
    i = torch.arange(n_q)[:, None] + n_k - n_q
    j = torch.arange(n_k)[None, :]
    distance = (i - j).abs()
    return -slopes[:, None, None] * distance
