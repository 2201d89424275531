import torch


def alibi_bias(n_q, n_k, h):
    slopes = 0.5 ** torch.arange(1, h + 1)
    i = torch.arange(n_q)[:, None] + n_k - n_q
    j = torch.arange(n_k)[None, :]
    distance = (i - j).abs()
    return -slopes[:, None, None] * distance
