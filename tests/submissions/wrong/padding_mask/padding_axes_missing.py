import torch


def padding_mask(lengths, n_k):
    return torch.arange(n_k, device=lengths.device)[None, :] < lengths[:, None]
