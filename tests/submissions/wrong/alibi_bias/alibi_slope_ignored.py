import torch


def alibi_bias(n_q, n_k, h):
    i = torch.arange(n_q)[:, None] + n_k - n_q
    j = torch.arange(n_k)[None, :]
    distance = (i - j).abs()
    return -distance.float().expand(h, n_q, n_k)
