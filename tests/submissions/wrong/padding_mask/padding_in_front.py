import torch


def padding_mask(lengths, n_k):
    mask = torch.ones(len(lengths), 1, 1, n_k, dtype=torch.bool)
    for b, length in enumerate(lengths):
        mask[b, 0, 0, : n_k - length] = False
    return mask
