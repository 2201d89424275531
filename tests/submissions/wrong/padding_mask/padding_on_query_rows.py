import torch


def padding_mask(lengths, n_k):
    mask = torch.arange(n_k) < lengths.unsqueeze(1)
    return mask.unsqueeze(1).unsqueeze(3)
