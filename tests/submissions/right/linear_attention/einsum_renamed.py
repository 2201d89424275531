import torch


def linear_attention(queries, keys, values):
    feature = torch.nn.ELU()
    a, b = feature(queries) + 1, feature(keys) + 1
    shares = torch.einsum("...id,...jd->...ij", a, b)
    n = shares.shape[-1]
    before = torch.arange(n, device=a.device)[:, None] >= torch.arange(n, device=a.device)
    shares = shares * before
    return torch.einsum("...ij,...je->...ie", shares / shares.sum(-1, keepdim=True), values)
