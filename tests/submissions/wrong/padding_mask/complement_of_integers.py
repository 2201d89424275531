import torch


def padding_mask(lengths, n_k):
    is_pad = torch.zeros(lengths.shape[0], 1, 1, n_k, dtype=torch.int)
    for b, length in enumerate(lengths):
        is_pad[b, 0, 0, length:] = 1
    return ~is_pad
