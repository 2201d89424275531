import torch


def padding_mask(lengths, n_k):
    mask = torch.zeros(lengths.size(0), 1, 1, n_k)
    for b, length in enumerate(lengths):
        mask[b, ..., :length] = 1
    return mask
