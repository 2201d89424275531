import torch


def padding_mask(lengths, n_k):
    longest = int(lengths.max())
    mask = torch.zeros(lengths.size(0), 1, 1, n_k, dtype=torch.bool)
    mask[..., :longest] = True
    return mask
