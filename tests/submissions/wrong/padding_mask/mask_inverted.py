import torch


def padding_mask(lengths, n_k):
    is_pad = torch.arange(n_k, device=lengths.device) >= lengths[:, None]
    return is_pad[:, None, None, :]
